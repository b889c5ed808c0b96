/** Why the private servers cannot be used: a closed list; the sentence beside each says what to do. */
export const EMBEDDED_FAULTS = {
  'data-dir-in-use': 'Another Plumbline uses this data folder. Stop it, or name another folder.',
  'data-dir-unusable': 'The data folder cannot be used. Name one that this user may write.',
  'account-missing': 'PostgreSQL does not run as root, and this machine has neither the user postgres nor nobody.',
  'program-missing': 'A program that the private servers need is not installed.',
  'server-not-started': 'A private server did not start.',
  'server-stopped': 'A private server ended by itself.',
  'database-version': 'The data folder was made by another major version of PostgreSQL.',
  'database-unreachable': 'The database does not answer.',
  'database-newer': 'The database was made by a newer Plumbline. Run that version, or name another data folder.',
  'migration-failed': 'A migration of the database failed.',
} as const;
export type EmbeddedFault = keyof typeof EMBEDDED_FAULTS;

/** Thrown by everything in this room. The message is a whole sentence for a person and never holds a secret. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
  constructor(
    readonly code: EmbeddedFault,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

/** The message of anything thrown, on one line. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
}
