import { identifyProcess } from '@plumbline/process';
import { endProcesses, findEmulators } from './emulator-process.js';
import { LabError } from './lab-error.js';
import { withLabLock } from './lab-lock.js';
import { type LabPlace, labDir, listLabs, readState, removeState } from './lab-state.js';
import { deleteNamespace, listNamespaces, pidsInside } from './namespaces.js';
import { HOSTS, namespaceOf, parseLabName } from './topology.js';

const GRACE_MS = 500;

/**
 * Takes a lab down: ends its emulators and whatever still runs inside its namespaces, removes the namespaces and the
 * state. No error when there is nothing (left) to remove, so that it can be called again after a kill.
 * @returns whether anything was there
 * @throws {LabError} lab-busy, lab-elsewhere, setup-failed
 */
export async function labDown(name: string, place: LabPlace = {}): Promise<boolean> {
  const lab = parseLabName(name);
  return withLabLock(lab, async () => {
    if (!(await isOurs(lab, place))) {
      const there = await namespacesThere(lab);
      await removeAbandoned(lab, place);
      return there.length > 0;
    }
    await dismantle(lab, place);
    return true;
  });
}

/** Takes down every lab that has a state folder here. @returns their names */
export async function allLabsDown(place: LabPlace = {}): Promise<string[]> {
  const names = await listLabs(place);
  for (const name of names) await labDown(name, place);
  return names;
}

/** A state that cannot be read is ours too: everything a lab is made of follows from its name. */
async function isOurs(lab: string, place: LabPlace): Promise<boolean> {
  try {
    return (await readState(lab, place)) !== undefined;
  } catch (error) {
    if (error instanceof LabError && error.code === 'state-unreadable') return true;
    throw error;
  }
}

async function namespacesThere(lab: string): Promise<string[]> {
  const wanted = HOSTS.map((host) => namespaceOf(lab, host));
  return (await listNamespaces()).filter((namespace) => wanted.includes(namespace));
}

/**
 * Removes namespaces that have the lab's names but no state here, when nobody uses them: a lab whose state folder was
 * deleted. The caller holds the lab's lock.
 * @throws {LabError} lab-elsewhere when somebody does
 */
export async function removeAbandoned(lab: string, place: LabPlace): Promise<void> {
  const there = await namespacesThere(lab);
  const inside = (await Promise.all(there.map(pidsInside))).flat();
  const users = [...inside, ...(await findEmulators(lab)).map(({ pid }) => pid)];
  if (users.length > 0)
    throw new LabError(
      'lab-elsewhere',
      `the lab '${lab}' has no state in ${labDir(lab, place)}, but process ${users.join(', ')} uses its namespaces; take it down where it was made (PLUMBLINE_LAB_DIR), or choose another name`,
    );
  for (const namespace of there) await deleteNamespace(namespace);
  await removeState(lab, place);
}

/** Removes everything a lab of that name is made of. The caller holds the lab's lock. */
export async function dismantle(lab: string, place: LabPlace): Promise<void> {
  const namespaces = await namespacesThere(lab);
  const inside = (await Promise.all(namespaces.map(pidsInside))).flat();
  await endProcesses(
    inside.map(identifyProcess).filter((identity) => identity !== undefined),
    GRACE_MS,
  );
  await endProcesses(await findEmulators(lab), 0);
  for (const namespace of namespaces) await deleteNamespace(namespace);
  await removeState(lab, place);
}
