import { askEmulator } from './emulator-control.js';
import { requireLab } from './host.js';
import { LabError } from './lab-error.js';
import type { LabPlace } from './lab-state.js';
import { type LinkCommand, linkCommandLine } from './link-command.js';
import { type Direction, LINKS, type LinkNumber, type LinkSettings, type PathOptions, settlePath } from './topology.js';

/** Reads the LINK of a command line. @throws {LabError} link-unknown */
export function parseLink(text: string): LinkNumber {
  const link = LINKS.find((known) => text === String(known) || text === `link${known}`);
  if (link) return link;
  throw new LabError('link-unknown', `'${text}' is no link of a lab; there are ${LINKS.join(' and ')}`);
}

/**
 * Changes a link while it runs; both directions when none is named. What is in flight stays as it is, what waits in the
 * queue is served at the new rate.
 * @throws {LabError} lab-not-found, link-unknown, command-refused (the link's sentence), emulator-failed
 */
export async function labSet(
  name: string,
  link: LinkNumber,
  direction: Direction | undefined,
  command: LinkCommand,
  place: LabPlace = {},
): Promise<void> {
  const state = await requireLab(name, place);
  const emulator = state.emulators.find((each) => each.link === parseLink(String(link)));
  if (!emulator) throw new LabError('link-unknown', `the lab '${name}' has no link ${link}`);
  await askEmulator(emulator.control, linkCommandLine(command, direction));
}

/** The command lines that give a link its settings. */
export const settingLines = (settings: LinkSettings): string[] =>
  (['ab', 'ba'] as const).flatMap((direction) => {
    const { rateBps, delayMs, queueBytes, lossRatio } = settings[direction];
    const commands: readonly LinkCommand[] = [
      { command: 'rate', rateBps },
      { command: 'delay', delayMs },
      { command: 'queue', queueBytes },
      { command: 'loss', ratio: lossRatio },
    ];
    return commands.map((command) => linkCommandLine(command, direction));
  });

/** Takes away whatever else a link can do to packets, and what it has counted. */
const UNHARMED: readonly LinkCommand[] = [
  { command: 'queuetime', queueMs: 0 },
  { command: 'dup', ratio: 0 },
  { command: 'reorder', ratio: 0, extraMs: 0 },
  { command: 'policer', rateBps: 0, burstBytes: 0 },
  { command: 'flowrate', rateBps: 0 },
  { command: 'maxlen', sizeBytes: 0 },
  { command: 'wscale', keep: true },
  { command: 'up' },
  { command: 'reset' },
];

/**
 * Makes the path of a running lab the one that a new lab with these options would have, in a few milliseconds: all that was set
 * on its links since is gone. Programs on its hosts go on, the MTU of their interfaces stays.
 * @throws {LabError} lab-not-found, invalid-options, emulator-failed
 */
export async function labLay(
  name: string,
  path: Pick<PathOptions, 'link1' | 'link2'> = {},
  place: LabPlace = {},
): Promise<void> {
  const { links } = settlePath(path);
  const { emulators } = await requireLab(name, place);
  const unharmed = UNHARMED.map((command) => linkCommandLine(command));
  for (const { link, control } of emulators)
    for (const line of [...settingLines(links[link - 1] ?? links[0]), ...unharmed]) await askEmulator(control, line);
}
