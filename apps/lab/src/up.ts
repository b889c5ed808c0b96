import { requirePrograms } from './capability.js';
import { dismantle, removeAbandoned } from './down.js';
import { buildEmulator } from './emulator-build.js';
import { askEmulator } from './emulator-control.js';
import { isCarried, startEmulator } from './emulator-process.js';
import { LabError, sentenceOf } from './lab-error.js';
import { withLabLock } from './lab-lock.js';
import { type LabPlace, type LabState, labDir, newState, readState, writeState } from './lab-state.js';
import { settingLines } from './link.js';
import { linkCommandLine } from './link-command.js';
import {
  HOSTS,
  type Host,
  type Interface,
  namespaceOf,
  type PathOptions,
  type PathSettings,
  parseLabName,
  settlePath,
} from './topology.js';
import { interfacesOf, kernelHasIpv6, makeHost, wireHost } from './wiring.js';

export interface LabOptions extends PathOptions, LabPlace {
  /** Default `lab`. Labs of different names run side by side. */
  name?: string;
  /** `owned` (default): the emulators die with this process. `detached`: the lab stays until it is taken down. */
  mode?: 'owned' | 'detached';
  /** Takes a live lab of the same name down first instead of refusing. */
  replace?: boolean;
}

export interface LabHost {
  namespace: string;
  /** From the client's side to the server's. */
  interfaces: Interface[];
}

/** A lab that is up. */
export interface Lab {
  name: string;
  mode: 'owned' | 'detached';
  stateDir: string;
  mtuBytes: number;
  /** Whether the kernel has IPv6, so that the IPv6 addresses work. */
  hasIpv6: boolean;
  links: PathSettings['links'];
  hosts: Readonly<Record<Host, LabHost>>;
}

/**
 * Makes a lab: three namespaces, two emulated links, addresses and routes. Either all of it is there afterwards or, on
 * any failure, nothing. A lab of the same name that is no longer alive is removed first; a live one is refused.
 * @throws {LabError}
 */
export async function labUp(options: LabOptions = {}): Promise<Lab> {
  const { name: wanted = 'lab', mode = 'owned', replace = false, labsDir, ...path } = options;
  const name = parseLabName(wanted);
  const settings = settlePath(path);
  const place = { ...(labsDir === undefined ? {} : { labsDir }) };
  const state = newState(name, place, { mode, mtuBytes: settings.mtuBytes, links: [...settings.links] });
  await requirePrograms();
  const program = await buildEmulator();
  await withLabLock(name, async () => {
    await makeRoom(name, place, replace);
    try {
      await writeState(state, place);
      await build(state, place, program, settings);
    } catch (error) {
      await undo(name, place, error);
    }
  });
  return describeLab(state, place);
}

/** What is known of a lab from its state. */
export function describeLab(state: LabState, place: LabPlace): Lab {
  const host = (name: Host): LabHost => ({ namespace: namespaceOf(state.name, name), interfaces: interfacesOf(name) });
  return {
    name: state.name,
    mode: state.mode,
    stateDir: labDir(state.name, place),
    mtuBytes: state.mtuBytes,
    hasIpv6: kernelHasIpv6(),
    links: state.links,
    hosts: { client: host('client'), router: host('router'), server: host('server') },
  };
}

/** Removes what was made and throws what went wrong; if that fails too, the state stays for `labDown` and both are told. */
async function undo(name: string, place: LabPlace, error: unknown): Promise<never> {
  try {
    await dismantle(name, place);
  } catch (second) {
    throw new LabError(
      'setup-failed',
      `${sentenceOf(error)}; and what was made could not be removed: ${sentenceOf(second)}`,
    );
  }
  throw error;
}

async function makeRoom(name: string, place: LabPlace, replace: boolean): Promise<void> {
  const old = await readState(name, place).catch((error: unknown) => {
    if (error instanceof LabError && error.code === 'state-unreadable') return 'unreadable' as const;
    throw error;
  });
  if (old === undefined) return removeAbandoned(name, place);
  if (old !== 'unreadable' && old.phase === 'up' && isCarried(old) && !replace)
    throw new LabError(
      'lab-exists',
      `the lab '${name}' is up since ${old.createdAt}; take it down (plumb lab down --name ${name}) or choose another name`,
    );
  await dismantle(name, place);
}

async function build(state: LabState, place: LabPlace, program: string, settings: PathSettings): Promise<void> {
  const facts = { ...state, ...(settings.seed === undefined ? {} : { seed: settings.seed }) };
  await forEach(HOSTS, (host) => makeHost(state.name, host));
  await forEach(state.emulators, async (emulator) => {
    emulator.process = await startEmulator(program, facts, emulator);
    const link = settings.links[emulator.link - 1] ?? settings.links[0];
    for (const line of settingLines(link)) await askEmulator(emulator.control, line);
  });
  await forEach(HOSTS, (host) => wireHost(state.name, host));
  // What the kernel said to itself while the interfaces came up (IPv6 group reports) is not counted.
  await forEach(state.emulators, ({ control }) => askEmulator(control, linkCommandLine({ command: 'reset' })));
  await writeState({ ...state, phase: 'up' }, place);
}

/** All at once; when one fails it is told only after the others have ended too, so that removing everything removes everything. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(items.map(work));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
