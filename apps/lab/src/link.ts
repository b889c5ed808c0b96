import { askEmulator } from './emulator-control.js';
import { requireLab } from './host.js';
import { LabError } from './lab-error.js';
import type { LabPlace } from './lab-state.js';
import { type LinkCommand, linkCommandLine } from './link-command.js';
import { type Direction, LINKS, type LinkNumber } from './topology.js';

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
