import { existsSync, lstatSync, mkdtempSync, rmdirSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** `sun_path` holds 108 bytes with its closing zero (unix(7)). */
export const LONGEST_SOCKET_PATH_BYTES = 107;
const PREFIX = 'plumbline-';
const LINK = 's';

/**
 * A name for `folder` under which its socket can be reached. A server binds by a relative path, which is always short;
 * a client needs an absolute one. Where that is too long, this makes a link to the folder in a short 0700 folder.
 * Write `shortcut` down: `removeShortcut` needs it after a kill.
 * @param kept a shortcut made before, to be used again
 */
export function reachableFolder(
  folder: string,
  socketName: string,
  kept?: string,
): { folder: string; shortcut?: string } {
  if (Buffer.byteLength(join(folder, socketName)) <= LONGEST_SOCKET_PATH_BYTES) return { folder };
  if (kept !== undefined && existsSync(join(kept, LINK))) return { folder: join(kept, LINK), shortcut: kept };
  const shortcut = mkdtempSync(join(shortBase(), PREFIX));
  symlinkSync(folder, join(shortcut, LINK));
  return { folder: join(shortcut, LINK), shortcut };
}

/** Removes what `reachableFolder` made: one link and its folder, if they are ours; never anything below. */
export function removeShortcut(shortcut: string | undefined): void {
  if (shortcut === undefined || !basename(shortcut).startsWith(PREFIX)) return;
  try {
    const found = lstatSync(shortcut);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return;
    const link = join(shortcut, LINK);
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(link);
    rmdirSync(shortcut);
  } catch {
    // Gone already, or not ours to remove: a folder with a dead link harms nobody.
  }
}

/** $XDG_RUNTIME_DIR where it is this user's own and short enough, else /tmp (not TMPDIR, which may be long). */
function shortBase(): string {
  const own = process.env.XDG_RUNTIME_DIR;
  if (own === undefined || !own.startsWith('/') || Buffer.byteLength(own) > 40) return '/tmp';
  const found = statSync(own, { throwIfNoEntry: false });
  return found?.isDirectory() && found.uid === process.getuid?.() && dirname(own) !== own ? own : '/tmp';
}
