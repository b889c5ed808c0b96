import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Name } from '@plumbline/model';
import { ProcessIdentity } from '@plumbline/process';
import { z } from 'zod';
import { LabError } from './lab-error.js';
import { HOSTS, LINKS, type LinkNumber, namespaceOf, parseLabName } from './topology.js';

/** Where labs keep their state, one folder a lab, unless PLUMBLINE_LAB_DIR or an option says otherwise. */
const LABS_DIR = '/run/plumbline-lab';
const STATE_FILE = 'state.json';
/** sun_path without its closing zero (unix(7)). */
const LONGEST_SOCKET_PATH = 107;

export interface LabPlace {
  /** Folder that holds one folder a lab. Default: PLUMBLINE_LAB_DIR, else /run/plumbline-lab. */
  labsDir?: string;
}

const settings = z.object({ rateBps: z.number(), delayMs: z.number(), queueBytes: z.int(), lossRatio: z.number() });
const linkSettings = z.object({ ab: settings, ba: settings });

const EmulatorState = z.object({
  link: z.literal(LINKS),
  control: z.string(),
  log: z.string(),
  /** Known from the moment it is ready; before that it is found by its arguments, which name the lab. */
  process: ProcessIdentity.optional(),
});
export type EmulatorState = z.output<typeof EmulatorState>;

/** Written before anything it names is made, so that whoever comes after a kill knows what to remove. */
const LabState = z.object({
  schemaVersion: z.literal(1),
  name: z.string(),
  /** `making` until the first packet can pass. */
  phase: z.enum(['making', 'up']),
  /** `owned` emulators die with the process that made the lab; `detached` ones stay until the lab is taken down. */
  mode: z.enum(['owned', 'detached']),
  createdAt: z.string(),
  namespaces: z.array(z.string()),
  emulators: z.array(EmulatorState),
  mtuBytes: z.int(),
  links: z.tuple([linkSettings, linkSettings]),
});
export type LabState = z.output<typeof LabState>;

export const labsDirOf = (place: LabPlace): string =>
  resolve(place.labsDir ?? process.env.PLUMBLINE_LAB_DIR ?? LABS_DIR);

/** @throws {LabError} invalid-options for a name that is not one */
export const labDir = (name: string, place: LabPlace): string => join(labsDirOf(place), parseLabName(name));

const controlPath = (folder: string, link: LinkNumber): string => join(folder, `link${link}.sock`);

/** The state of a lab that is about to be made. @throws {LabError} invalid-options when its sockets' paths would be too long */
export function newState(
  name: string,
  place: LabPlace,
  facts: Pick<LabState, 'mode' | 'mtuBytes' | 'links'>,
): LabState {
  const folder = labDir(name, place);
  const longest = Buffer.byteLength(controlPath(folder, 1));
  if (longest > LONGEST_SOCKET_PATH)
    throw new LabError(
      'invalid-options',
      `${folder} is ${longest - LONGEST_SOCKET_PATH} bytes too long for a control socket in it; choose a shorter state folder (PLUMBLINE_LAB_DIR)`,
    );
  return {
    schemaVersion: 1,
    name,
    phase: 'making',
    createdAt: new Date().toISOString(),
    namespaces: HOSTS.map((host) => namespaceOf(name, host)),
    emulators: LINKS.map((link) => ({
      link,
      control: controlPath(folder, link),
      log: join(folder, `link${link}.log`),
    })),
    ...facts,
  };
}

/** The lab's state, or undefined when there is none. @throws {LabError} state-unreadable */
export async function readState(name: string, place: LabPlace): Promise<LabState | undefined> {
  const file = join(labDir(name, place), STATE_FILE);
  const text = await readFile(file, 'utf8').catch(noFile);
  if (text === undefined) return undefined;
  try {
    const state = LabState.parse(JSON.parse(text));
    if (state.name === name) return state;
  } catch {
    // Said below: a file that was cut short and one of another version look alike to the user.
  }
  throw new LabError(
    'state-unreadable',
    `${file} cannot be understood; \`plumb lab down --name ${name}\` removes the lab all the same`,
  );
}

/** Replaces the state file whole: a reader sees the old one or the new one. */
export async function writeState(state: LabState, place: LabPlace): Promise<void> {
  const file = join(labDir(state.name, place), STATE_FILE);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Removes the lab's own files, and the folders when nothing else is in them. */
export async function removeState(name: string, place: LabPlace): Promise<void> {
  const folder = labDir(name, place);
  const links = LINKS.flatMap((link) => [controlPath(folder, link), join(folder, `link${link}.log`)]);
  // The state file goes last: until then a second `down` finds what the first one did not finish.
  for (const file of [`${join(folder, STATE_FILE)}.new`, ...links, join(folder, STATE_FILE)])
    await rm(file, { force: true, recursive: true });
  await rmdir(folder).catch(keep);
  if (labsDirOf(place) === LABS_DIR) await rmdir(LABS_DIR).catch(keep);
}

/** Names of the labs that have a state folder here, in order. */
export async function listLabs(place: LabPlace = {}): Promise<string[]> {
  const entries = await readdir(labsDirOf(place), { withFileTypes: true }).catch(noFile);
  return (entries ?? [])
    .filter((entry) => entry.isDirectory() && Name.safeParse(entry.name).success)
    .map((entry) => entry.name)
    .sort();
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

function noFile(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
}

/** A folder that is not there, or that holds something that is not ours, stays as it is. */
function keep(error: unknown): void {
  const code = codeOf(error);
  if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'EBUSY') throw error;
}
