import { open } from 'node:fs/promises';
import { findProgram } from '@plumbline/process';
import { whyNoEmulator } from './emulator-build.js';
import { LabError, type LabErrorCode, sentenceOf } from './lab-error.js';
import { addNamespace, deleteNamespace, listNamespaces, runIp } from './namespaces.js';

const PROGRAMS = { ip: 'iproute2', sysctl: 'procps', setpriv: 'util-linux' } as const;
const TRIAL = 'plumb-trial-';

export type Capability = { ok: true } | { ok: false; code: LabErrorCode; reason: string };

/** Whether this process may make a lab here: it tries what a lab needs and leaves nothing behind. */
export async function canMakeLab(): Promise<Capability> {
  try {
    await requirePrograms();
    const missing = await whyNoEmulator();
    if (missing !== undefined) return { ok: false, code: 'compiler-missing', reason: missing };
    await tryNamespace();
    return { ok: true };
  } catch (error) {
    return { ok: false, code: error instanceof LabError ? error.code : 'setup-failed', reason: sentenceOf(error) };
  }
}

/**
 * What can be told without making anything.
 * @throws {LabError} not-permitted, program-missing, tun-missing
 */
export async function requirePrograms(): Promise<void> {
  if (process.geteuid?.() !== 0)
    throw new LabError('not-permitted', 'making network namespaces needs root; run it with sudo');
  for (const [program, debianPackage] of Object.entries(PROGRAMS))
    if (findProgram(program) === undefined)
      throw new LabError(
        'program-missing',
        `${program} is not installed; run: apt-get install -y --no-install-recommends ${debianPackage}`,
      );
  try {
    await (await open('/dev/net/tun', 'r+')).close();
  } catch (error) {
    throw new LabError(
      'tun-missing',
      `/dev/net/tun cannot be opened (${sentenceOf(error)}); load the kernel module tun, or give it to the container`,
    );
  }
}

async function tryNamespace(): Promise<void> {
  for (const name of await listNamespaces()) if (isAbandonedTrial(name)) await deleteNamespace(name);
  const name = `${TRIAL}${process.pid}`;
  try {
    await addNamespace(name);
    // Where / is no mount point (a bare chroot), a namespace can be made and not be entered.
    await runIp(['netns', 'exec', name, 'true']);
  } catch (error) {
    throw new LabError('namespace-refused', `a network namespace cannot be made here: ${sentenceOf(error)}`);
  } finally {
    await deleteNamespace(name);
  }
}

/** Left by a process that was killed in the middle of its trial. */
function isAbandonedTrial(name: string): boolean {
  const pid = Number(name.startsWith(TRIAL) ? name.slice(TRIAL.length) : Number.NaN);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
