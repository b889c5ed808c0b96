import { existsSync, readdirSync } from 'node:fs';

const NAMED = '/run/netns';
/** Network namespaces by name (ip-netns(8)). */
export const namespacesNow = (): string[] => (existsSync(NAMED) ? readdirSync(NAMED) : []);
