import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { ProblemError, parseProbeAddress } from '@plumbline/model';

/** Where probes on this machine may listen without a token of an administrator. */
export const localProbesFolder = (dataDir: string): string => join(dataDir, 'probes');

/**
 * A `unix:` address makes the control plane open a file of its own machine: only those under D/probes, links followed,
 * unless an administrator says so.
 * @throws {ProblemError} insufficient-scope
 */
export function refuseForeignSocket(address: string, dataDir: string, isAdmin: boolean): void {
  const parsed = parseProbeAddress(address);
  if (parsed.kind === 'tcp' || isAdmin) return;
  const folder = real(localProbesFolder(dataDir));
  if (folder !== undefined && real(parsed.path)?.startsWith(folder + sep)) return;
  throw new ProblemError(
    'insufficient-scope',
    `A socket outside ${localProbesFolder(dataDir)} needs a token with the scope admin.`,
    [{ detail: 'not under the folder for local probes', pointer: '/address' }],
    { 'www-authenticate': 'Bearer realm="plumbline", error="insufficient_scope", scope="admin"' },
  );
}

/** The path without links; of a file that is not there yet, its folder's. */
function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    try {
      return join(realpathSync(dirname(path)), basename(path));
    } catch {
      return undefined;
    }
  }
}
