import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import {
  isBaselineTooHigh,
  type TransactionsResult,
  type TransactionsSpec,
  transactionMetricsOf,
} from '../../measurements/transactions/index.js';
import { parsePing } from '../ping/parse.js';
import { endingOf } from './ending.js';
import { readLoad } from './load.js';
import { type BouncebackLine, parseIperf2, totalOf } from './parse.js';

/** Reads what a transactions attempt left behind. Never throws. */
export function read(spec: TransactionsSpec, output: AttemptOutput): Reading {
  const phase = (end: PhaseOutput['end'], name: string) =>
    output.phases.find((one) => one.end === end && one.name === name);
  const test = phase('near', 'test');
  const parsed = test && parseIperf2(test.stdout);
  const total = parsed && totalOf(parsed.bounceback);
  const idle = totalOf(parseIperf2(phase('near', 'idle')?.stdout ?? '').bounceback);
  const loaded = spec.underLoad && test ? readLoad(output, test) : undefined;
  const evidence = { seen: output.ending, test, series: total?.series, loadProblem: loaded?.problem };
  const ending = endingOf(spec, evidence);
  const result = total && resultOf(spec, total, { idle, load: loaded?.load, baseline: phase('near', 'baseline') });
  const metrics = transactionMetricsOf(result, ending);
  const notes = [
    ...(parsed?.notes ?? []),
    ...(result ? remarks(result) : []),
    ...omitRemarks(spec),
    ...loadRemarks(loaded?.load),
  ];
  return { ending, metrics, result: result ?? null, notes };
}

interface Beside {
  readonly idle: BouncebackLine | undefined;
  readonly load: TransactionsResult['load'];
  readonly baseline: PhaseOutput | undefined;
}

function resultOf(
  { requestBytes, replyBytes, underLoad }: TransactionsSpec,
  { series, retransmits }: BouncebackLine,
  { idle, load, baseline }: Beside,
): TransactionsResult {
  return {
    tool: 'iperf2',
    requestBytes,
    replyBytes,
    underLoad,
    series,
    idle: underLoad && idle && idle.series.count > 0 && idle.series.meanMs > 0 ? idle.series : undefined,
    load,
    baseline: baselineOf(baseline),
    retransmits,
  };
}

function baselineOf(phase: PhaseOutput | undefined): TransactionsResult['baseline'] {
  const ping = phase && parsePing(phase.stdout);
  if (ping?.sent === undefined) return undefined;
  const rtts = ping.replies.flatMap(({ rttMs }) => rttMs ?? []);
  const counted = { sent: ping.sent, received: ping.replies.length };
  return rtts.length === 0 ? counted : { ...counted, minMs: rtts.reduce((a, b) => Math.min(a, b)) };
}

/** What a reader of the numbers must know. */
function remarks(result: TransactionsResult): string[] {
  const { histogram, count, minMs } = result.series;
  const said = histogram
    ? [`percentiles are the upper edges of histogram bins of ${histogram.binMs} ms`]
    : ['this iperf printed no histogram: no percentiles'];
  if (histogram && histogram.above > 0)
    said.push(`${histogram.above} of ${count} transactions took longer than the histogram is wide`);
  if (isBaselineTooHigh(result))
    said.push(`the ping baseline of ${result.baseline?.minMs} ms is above the fastest transaction of ${minMs} ms`);
  return said;
}

const omitRemarks = ({ omitS = 0 }: TransactionsSpec): string[] =>
  omitS === 0
    ? []
    : [
        `omitS: ${omitS} s of transactions came first and are not counted; they had a connection of their own, so the counted one began with its own slow start`,
      ];

function loadRemarks(load: TransactionsResult['load']): string[] {
  return load?.congestionControl === undefined ? [] : [`the load's congestion control was ${load.congestionControl}`];
}
