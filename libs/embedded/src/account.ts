import { readFileSync, statSync } from 'node:fs';
import { EmbeddedError } from './fault.js';

/** Whom the servers run as. Without ids: as the user that we are. */
export interface Account {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root (its documentation, 18.1 "The PostgreSQL User Account"). */
const UNPRIVILEGED = ['postgres', 'nobody'];

/**
 * As a plain user the servers are that user's. As root they run as whoever owns the folder already (so that an account
 * that was installed later changes nothing), else as `postgres`, else as `nobody`.
 * @throws EmbeddedError account-missing
 */
export function serverAccount(folder: string, passwdFile = '/etc/passwd'): Account {
  if (process.getuid?.() !== 0) return {};
  const owned = statSync(folder, { throwIfNoEntry: false });
  if (owned && owned.uid !== 0) return { uid: owned.uid, gid: owned.gid };
  const lines = readFileSync(passwdFile, 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of UNPRIVILEGED) {
    const [, , uid, gid] = lines.find(([first]) => first === name) ?? [];
    if (uid !== undefined && gid !== undefined && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedError(
    'account-missing',
    `PostgreSQL does not run as root, and ${passwdFile} has neither postgres nor nobody. Run Plumbline as a plain user, or add one: adduser --system postgres`,
  );
}
