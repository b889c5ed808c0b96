import { z } from 'zod';
import type { PhaseOutput } from '../../ability.js';
import { CAPTURE_PHASE, MOST_PACKETS } from './argv.js';
import { parsePcap } from './pcap.js';
import { tcpdump } from './version.js';
import { CapturedConnection, connectionsOf } from './windows.js';

/** What one end captured of a test. */
export const EndCapture = z.object({
  segments: z.int(),
  /** Whether it ran to the end of the test: not cut at its limit, and the kernel dropped nothing. */
  whole: z.boolean(),
  /** The connection with most payload. Absent: nothing of the test was seen. */
  connection: CapturedConnection.optional(),
});
export type EndCapture = z.output<typeof EndCapture>;

export interface CaptureRead {
  /** Absent: there is no capture, and the notes say why. */
  readonly capture?: EndCapture;
  readonly notes: readonly string[];
}

/** Reads the capture of one end. Never throws; without one the notes say in tcpdump's words why. */
export function readCapture(phases: readonly PhaseOutput[], end: PhaseOutput['end']): CaptureRead {
  const phase = phases.find((one) => one.end === end && one.name === CAPTURE_PHASE);
  const told = (text: string): string => `${end} capture: ${text}`;
  if (!phase) return { notes: [told('it was not begun')] };
  const read = parsePcap(phase.capture ?? new Uint8Array());
  if ('problem' in read) return { notes: [told(whyNone(phase, read.notes))] };
  const { segments } = read;
  const remarks = [...read.notes];
  const dropped = Number(/^(\d+) packets? dropped by kernel/m.exec(phase.stderr)?.[1] ?? 0);
  if (segments.length >= MOST_PACKETS)
    remarks.push(`it holds the first ${MOST_PACKETS} packets; later ones were left out`);
  if (dropped > 0) remarks.push(`the kernel dropped ${dropped} packets before tcpdump could read them`);
  const [connection] = connectionsOf(segments);
  if (!connection) remarks.push('no packet of the test was seen on the interface');
  const capture = { segments: segments.length, whole: remarks.length === 0, ...(connection ? { connection } : {}) };
  return { capture, notes: remarks.map(told) };
}

function whyNone({ exitCode, signal, stderr }: PhaseOutput, notes: readonly string[]): string {
  const said = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.includes('listening on') && !/^\d+ packets? /.test(line))
    .join('; ');
  if (/No such file|not found|failed to execute/i.test(said) || (exitCode === null && signal === null && said === ''))
    return `there is none: tcpdump could not be started; install the package ${tcpdump.package}${said === '' ? '' : ` (${said})`}`;
  if (said !== '') return `there is none: ${said}`;
  return notes[0] ?? 'there is none: tcpdump left no file';
}
