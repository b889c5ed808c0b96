import { usage } from '../failure.js';
import type { Environment } from '../output/terminal.js';

/**
 * Servers of somebody else's, from the environment: both or none, so that nobody believes that data are kept where they
 * are not. The values hold passwords and are never repeated.
 * @throws {Failure} usage
 */
export function chosenServers(env: Environment): { databaseUrl: string; redisUrl: string } | undefined {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = env;
  if (!databaseUrl && !redisUrl) return undefined;
  if (!databaseUrl || !redisUrl) {
    const [set, missing] = databaseUrl ? ['DATABASE_URL', 'REDIS_URL'] : ['REDIS_URL', 'DATABASE_URL'];
    throw usage(`${set} is set and ${missing} is not; both are needed, or none.`, `set ${missing}, or: unset ${set}`);
  }
  checkScheme('DATABASE_URL', databaseUrl, ['postgres:', 'postgresql:']);
  checkScheme('REDIS_URL', redisUrl, ['redis:', 'rediss:', 'unix:']);
  return { databaseUrl, redisUrl };
}

function checkScheme(name: string, value: string, schemes: readonly string[]): void {
  if (schemes.some((scheme) => value.startsWith(`${scheme}//`))) return;
  throw usage(`${name} must start with ${schemes.map((s) => `${s}//`).join(' or ')}.`);
}
