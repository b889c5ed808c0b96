import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LONGEST_SOCKET_PATH_BYTES } from '../stack/limits.js';

/** One lab a data folder, so that two stacks can show it at once; what a killed start left is found by the same name. */
export function labNameFor(dataDir: string): string {
  return `demo-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}`;
}

/** The lab's state lies in the data folder, unless the path of a socket there would be too long. */
export function labPlaceFor(dataDir: string): { labsDir?: string } {
  const labsDir = join(dataDir, 'lab');
  const socket = join(labsDir, labNameFor(dataDir), 'link1.sock');
  return Buffer.byteLength(socket) <= LONGEST_SOCKET_PATH_BYTES ? { labsDir } : {};
}
