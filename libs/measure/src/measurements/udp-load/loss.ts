import type { UdpLoadResult } from './result.js';

/** Datagrams on their way when the test ends: no queue of a sane path holds more than this of them. */
const LONGEST_TAIL_S = 1;

/** What was lost, and what can be said of the datagrams after the last one that arrived. */
export interface LossAccount {
  readonly ratio: number;
  readonly lost: number;
  readonly of: number;
  /** Datagrams after the last one that arrived, not counted as lost: on their way when the test ended. */
  readonly underway: number;
  /** The path went silent before the end: all after the last arrival count as lost. */
  readonly silent: boolean;
}

/**
 * Loss of a load. The receiver knows only gaps between sequence numbers, so of what follows the last arrival it knows
 * nothing: a moment's worth was still on its way when it stopped counting, but a second of silence is loss.
 * Undefined: the counts are missing or contradict each other (more arrived than was sent: duplicates).
 */
export function lossOf({ sent, received, intervals, payloadBytes }: UdpLoadResult): LossAccount | undefined {
  const arrived = received && received.bytes / payloadBytes;
  if (sent?.packets !== undefined && sent.packets > 0 && received?.bytes === 0)
    return { ratio: 1, lost: sent.packets, of: sent.packets, underway: 0, silent: true };
  if (!received || arrived === undefined || received.packets === undefined || received.packets <= 0) return undefined;
  const gaps = gapsOf(received.packets, received.lost, arrived);
  if (gaps === undefined || gaps < 0 || gaps > received.packets) return undefined;
  const after = Math.max(0, (sent?.packets ?? 0) - received.packets);
  const silent = after > 0 && isSilentEnd(after, sent, intervals);
  const of = silent ? received.packets + after : received.packets;
  const lost = silent ? gaps + after : gaps;
  return { ratio: lost / of, lost, of, underway: silent ? 0 : after, silent };
}

/**
 * The tool's own count of gaps, unless its bytes contradict it by more than one datagram: iperf3 before 3.21 can print no
 * loss at all for a lossy test (iperf issue 1984). Where more bytes came than sequence numbers tell of (duplicates), only
 * the tool knows.
 */
function gapsOf(packets: number, lost: number | undefined, arrived: number): number | undefined {
  const missing = Math.round(packets - arrived);
  if (missing < 0) return lost;
  return lost !== undefined && Math.abs(lost - missing) <= 1 ? lost : missing;
}

function isSilentEnd(after: number, sent: UdpLoadResult['sent'], intervals: UdpLoadResult['intervals']): boolean {
  if (!sent?.packets) return false;
  const tailS = after / (sent.packets / sent.durationS);
  if (tailS <= LONGEST_TAIL_S) return false;
  const last = intervals.filter(({ durationS }) => durationS >= 0.5).at(-1);
  return last === undefined || last.bytes === 0;
}
