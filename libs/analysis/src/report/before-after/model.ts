import { VERSION } from '@plumbline/model';
import { formatBytes, formatRate } from '../format.js';
import { framingOf, type Limit, type LinkFacts, linkFacts, sideFacts } from './facts.js';
import type { BeforeAfterInput, SideData } from './input.js';
import { type ReportRow, rowsOf } from './rows.js';
import { type ReportVerdict, type Sides, verdictOf } from './verdict.js';

export interface ReportSeries {
  side: 'before' | 'after';
  /** `main` is the picture's subject, `beside` what it is read against. */
  role: 'main' | 'beside';
  label: string;
  points: readonly { x: number; y: number }[];
}
export interface ReportGuide {
  label: string;
  value: number;
  /** What it means to be below the line. */
  below?: string;
}
/** A picture over time, as numbers: what draws it is not known here. */
export interface ReportChart {
  id: 'throughput' | 'window';
  title: string;
  /** What a person would say who had seen it: for those who cannot. */
  description: string;
  unit: 'bit/s' | 'B';
  series: readonly ReportSeries[];
  guides: readonly ReportGuide[];
}
export interface ReportBar {
  side: 'before' | 'after';
  label: string;
  valueBps: number | null;
  text: string;
  /** What held the flow, when the numbers show it. */
  heldBy?: string;
}

/** Everything that a rendering needs; every format renders this and nothing else. */
export interface BeforeAfterModel {
  schemaVersion: 1;
  title: string;
  pathName: string;
  change: string;
  generatedAt: string;
  madeBy: string;
  loopback: boolean;
  verdict: ReportVerdict;
  link: LinkFacts | null;
  bars: readonly ReportBar[];
  rows: readonly ReportRow[];
  charts: readonly ReportChart[];
  /** How far this goes, and the caller's own remarks. */
  notes: readonly string[];
  sides: { before: SideData; after: SideData };
}

/** The before-and-after report as data, computed from two runs. Pure: same input, same report. */
export function beforeAfterModel(input: BeforeAfterInput): BeforeAfterModel {
  const link = linkFacts(input);
  const sides: Sides = {
    link,
    before: sideFacts(input.before, link, input.path.expectedRttMs),
    after: sideFacts(input.after, link, input.path.expectedRttMs),
  };
  const loopback = input.loopback ?? false;
  return {
    schemaVersion: 1,
    title: input.title,
    pathName: input.path.name,
    change: input.change,
    generatedAt: input.generatedAt,
    madeBy: `Plumbline ${VERSION}`,
    loopback,
    verdict: verdictOf(input, sides),
    link,
    bars: [bar('before', 'Before', input.before, sides, loopback), bar('after', 'After', input.after, sides, loopback)],
    rows: rowsOf(input, sides),
    charts: [throughputChart(input, link), windowChart(input, sides)],
    notes: [...limitsOfThisReport(input, link), ...input.notes],
    sides: { before: input.before, after: input.after },
  };
}

const HELD_BY: Readonly<Partial<Record<Limit, string>>> = {
  'link-limited': 'the link is the limit',
  'receive-window-limited': "held by the receiver's window",
  'send-buffer-limited': "held by the sender's own buffer",
};

function bar(side: 'before' | 'after', label: string, data: SideData, sides: Sides, loopback: boolean): ReportBar {
  const { throughputBps: valueBps } = data;
  return {
    side,
    label,
    valueBps,
    text: formatRate(valueBps),
    heldBy: loopback ? undefined : HELD_BY[sides[side].limit],
  };
}

function throughputChart(input: BeforeAfterInput, link: LinkFacts | null): ReportChart {
  const series = (['before', 'after'] as const).map(
    (side): ReportSeries => ({
      side,
      role: 'main',
      label: `${side}: ${formatRate(input[side].throughputBps)}`,
      points: input[side].throughputSeries.map((p) => ({ x: p.tS, y: p.bps })),
    }),
  );
  const guides = link
    ? [{ label: `TCP can carry ${formatRate(link.tcpCeilingBps)} on this link`, value: link.tcpCeilingBps }]
    : [];
  const ends = `before ${formatRate(input.before.throughputBps)}, after ${formatRate(input.after.throughputBps)}`;
  const against = link ? `; TCP can carry ${formatRate(link.tcpCeilingBps)} on the link` : '';
  return {
    id: 'throughput',
    title: 'Throughput over time',
    description: `Throughput of one flow over the test's seconds: ${ends}${against}.`,
    unit: 'bit/s',
    series,
    guides,
  };
}

function windowChart(input: BeforeAfterInput, sides: Sides): ReportChart {
  const points = (list: readonly { tS: number; bytes: number }[]) => list.map((p) => ({ x: p.tS, y: p.bytes }));
  const of = (side: 'before' | 'after'): ReportSeries[] => [
    {
      side,
      role: 'main',
      label: `window ${side}: ${formatBytes(input[side].windowMaxBytes)}`,
      points: points(input[side].windowSeries),
    },
    { side, role: 'beside', label: `in flight ${side}`, points: points(input[side].inFlightSeries) },
  ];
  const bdp = sides.after.bdpBytes ?? sides.before.bdpBytes;
  const ends = `at most ${formatBytes(input.before.windowMaxBytes)} before and ${formatBytes(input.after.windowMaxBytes)} after`;
  return {
    id: 'window',
    title:
      bdp === null
        ? "Receiver's window and bytes in flight"
        : "Receiver's window against the bandwidth-delay product (BDP)",
    description: `The window that the receiver advertised, ${ends}${bdp === null ? '' : `; filling the link takes ${formatBytes(bdp)} in flight`}.`,
    unit: 'B',
    series: [...of('before'), ...of('after')],
    guides:
      bdp === null
        ? []
        : [
            {
              label: `BDP: ${formatBytes(bdp)}`,
              value: bdp,
              below: 'too small to fill the link',
            },
          ],
  };
}

function limitsOfThisReport(input: BeforeAfterInput, link: LinkFacts | null): string[] {
  const notes = [
    'One run a side shows what happened, not how often it would. An interval for the difference takes at least four runs a side; ten are the default.',
  ];
  if (link) {
    const { mtuBytes, ipVersion } = framingOf(input);
    notes.push(
      `What TCP can carry is the link's rate less headers: MTU ${mtuBytes}, IPv${ipVersion}, TCP timestamps on, no VLAN tag.`,
    );
  } else if (!input.loopback) {
    notes.push(
      'The path has no committed rate, so throughput is not judged against its link. Set committedRateBps on the path.',
    );
  }
  return notes;
}
