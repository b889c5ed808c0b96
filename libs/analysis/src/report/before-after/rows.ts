import { formatRatio } from '../format.js';
import { quotient, type SideFacts } from './facts.js';
import type { BeforeAfterInput, SideData } from './input.js';
import { type Line, linesFor, SOCKET } from './row-definitions.js';
import type { Sides } from './verdict.js';

/** A number or a name with the text that is shown for it; `reason` says why it is not known. */
export interface ReportCell {
  value: number | string | null;
  text: string;
  reason?: string;
}

export interface ReportRow {
  key: string;
  label: string;
  before: ReportCell;
  after: ReportCell;
  /** After / before, where that says something. */
  ratio: number | null;
  ratioText: string;
  /** Where the number comes from. */
  source: string;
  /** The rows that carry the story. */
  main: boolean;
}

/** The names under which a side gives the reason for a null. */
const REASON_FIELDS: Readonly<Record<string, keyof SideData>> = {
  throughput: 'throughputBps',
  rttIdle: 'rttP50Ms',
  rttLoaded: 'rttLoadedMeanMs',
  window: 'windowMaxBytes',
  cwnd: 'cwndMaxBytes',
  retransmits: 'retransmits',
  limitedReceiveWindow: 'limitedReceiveWindow',
  limitedSendBuffer: 'limitedSendBuffer',
  tcpRmemMax: 'tcpRmemMaxBytes',
};

/** The report's table, in reading order. */
export function rowsOf(input: BeforeAfterInput, sides: Sides): ReportRow[] {
  const rows = linesFor(sides.link).map((line): ReportRow => {
    const before = cell(line, input.before, sides.before);
    const after = cell(line, input.after, sides.after);
    const ratio = line.ratio ? quotient(asNumber(after.value), asNumber(before.value)) : null;
    return {
      key: line.key,
      label: line.label,
      before,
      after,
      ratio,
      ratioText: ratio === null ? '' : formatRatio(ratio),
      source: line.source,
      main: line.main ?? false,
    };
  });
  const algorithm: ReportRow = {
    key: 'congestionControl',
    label: 'Congestion control of the sender',
    before: named(input.before, 'congestionControl'),
    after: named(input.after, 'congestionControl'),
    ratio: null,
    ratioText: '',
    source: SOCKET,
    main: false,
  };
  return [...rows.slice(0, -1), algorithm, ...rows.slice(-1)];
}

function cell(line: Line, side: SideData, facts: SideFacts): ReportCell {
  const value = line.pick(side, facts);
  const text = line.format(value);
  if (value !== null && Number.isFinite(value)) return { value, text };
  const field = REASON_FIELDS[line.key];
  const reason = field ? (side.reasons[field] ?? 'no reason was recorded') : 'a number that it needs is not known';
  return { value: null, text, reason };
}

function named(side: SideData, field: 'congestionControl'): ReportCell {
  const value = side[field];
  if (value !== null) return { value, text: value };
  return { value: null, text: 'unknown', reason: side.reasons[field] ?? 'no reason was recorded' };
}

const asNumber = (value: ReportCell['value']): number | null => (typeof value === 'number' ? value : null);
