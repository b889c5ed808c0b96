import { z } from 'zod';

/** What a token may do. `admin` includes all others. */
export const Scope = z.enum(['read', 'run', 'plan', 'admin', 'probe:enrol']);
export type Scope = z.output<typeof Scope>;

export const permits = (scopes: readonly string[], wanted: Scope): boolean =>
  scopes.includes(wanted) || scopes.includes('admin');
