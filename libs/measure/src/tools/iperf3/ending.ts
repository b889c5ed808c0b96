import { type Ending, ended } from '@plumbline/model';
import type { AttemptOutput, PhaseOutput } from '../../ability.js';
import type { ThroughputResult, ThroughputSpec } from '../../measurements/throughput/index.js';
import { classify } from './classify.js';
import { type DocumentRead, type Iperf3Document, shortened } from './document.js';
import { type Documents, errorText } from './result.js';
import { overflows, totalOfIntervals } from './totals.js';

/** Less of the measured time than this is no whole test. */
const SHORTEST_SHARE = 0.8;

/** Everything that decides how the attempt ended. */
export interface Evidence {
  readonly output: AttemptOutput;
  readonly client: PhaseOutput | undefined;
  readonly read: DocumentRead | undefined;
  readonly documents: Documents;
  readonly result: ThroughputResult | undefined;
}

/**
 * How the attempt ended: first what the probes saw (stopped, cancelled, out of time), then what iperf3 said, and only then,
 * with nothing against it, that it completed. The exit code alone proves nothing: it is 0 after an error in 3.11 to 3.13
 * and after a signal since 3.19.
 */
export function endingOf(spec: ThroughputSpec, evidence: Evidence): Ending {
  const { output, client, read, documents, result } = evidence;
  const seen = output.ending;
  // A plain tool-failed is the exit code: iperf3's own words are closer to the cause.
  if (seen.outcome !== 'completed' && seen.reason !== 'tool-failed') return seen;
  if (!client || !read) return seen.outcome === 'completed' ? ended('output-empty') : seen;
  const words = firstLine(client.stderr);
  if ('problem' in read)
    return words === undefined ? ended(read.problem) : classify(words, progressOf(spec, undefined));
  const said = errorText(read.document);
  if (said !== undefined) return withFarWords(classify(said, progressOf(spec, result)), documents.far, spec, output);
  if (client.signal !== null) return ended('tool-killed', `iperf3 was ended by ${client.signal}.`);
  if (client.exitCode !== 0 || seen.outcome !== 'completed')
    return ended('tool-failed', words ?? `iperf3 ended with exit code ${client.exitCode}.`);
  return endingOfDocument(spec, read.document, documents.far, result);
}

function endingOfDocument(
  spec: ThroughputSpec,
  document: Iperf3Document,
  far: Iperf3Document | undefined,
  result: ThroughputResult | undefined,
): Ending {
  const measured = progressOf(spec, result).measured;
  const { sum_sent, sum_received } = document.end ?? {};
  if (!sum_sent && !sum_received)
    return measured
      ? ended('receiver-totals-missing', "iperf3's end has no totals.")
      : ended('output-empty', "iperf3's JSON holds no result.");
  const other = mismatch(spec, document);
  if (other) return ended('output-unreadable', `iperf3 tells of another test: ${other}.`);
  const [counter] = [...overflows(document), ...overflows(far, 'server')];
  if (counter !== undefined) return ended('counter-overflow', `iperf3's ${counter} is 2^53 or more.`);
  if (!result?.totals.receiver || !sum_received) return ended('receiver-totals-missing');
  const coveredS = Math.max(
    result.totals.receiver.durationS,
    totalOfIntervals(result.intervals.receiver)?.durationS ?? 0,
  );
  if (coveredS < SHORTEST_SHARE * spec.durationS)
    return ended('interrupted', `Only ${coveredS.toFixed(1)} s of ${spec.durationS} s were measured.`);
  const used = result.congestionControl.sender;
  if (spec.congestionControl !== undefined && used !== undefined && used !== spec.congestionControl)
    return ended('tool-failed', `The sender ran ${used} instead of ${spec.congestionControl}.`);
  return { outcome: 'completed' };
}

const progressOf = (spec: ThroughputSpec, result: ThroughputResult | undefined) => ({
  measured: [...(result?.intervals.sender ?? []), ...(result?.intervals.receiver ?? [])].some(
    (interval) => interval.bytes > 0 && !interval.omitted,
  ),
  windowAsked: spec.windowBytes !== undefined,
});

/** What in the document is not what was asked for: then it is no answer to this test. */
function mismatch(spec: ThroughputSpec, document: Iperf3Document): string | undefined {
  const test = document.start?.test_start;
  const differs = <T>(name: string, said: T | null | undefined, asked: T): string | undefined =>
    said !== undefined && said !== null && said !== asked ? `${name} is ${said}, not ${asked}` : undefined;
  return (
    differs('protocol', test?.protocol, 'TCP') ??
    differs('num_streams', test?.num_streams, spec.streams) ??
    differs('reverse', test?.reverse, spec.direction === 'reverse' ? 1 : 0) ??
    differs('bidir', test?.bidir, 0) ??
    (document.end?.sum_sent_bidir_reverse ? 'it ran both directions at once' : undefined)
  );
}

/** Adds what the server said, and for a refused buffer the sysctl that bit (iperf issue 757). */
function withFarWords(
  ending: Ending,
  far: Iperf3Document | undefined,
  spec: ThroughputSpec,
  output: AttemptOutput,
): Ending {
  if (ending.outcome === 'completed') return ending;
  const farWords = errorText(far);
  const parts = [ending.detail, farWords && `the server said: ${farWords}`];
  if (ending.reason === 'socket-buffer-refused') parts.push(bufferLimits(spec, output));
  if (ending.reason === 'authentication-failed') parts.push(clockLimit(output));
  return { ...ending, detail: parts.filter(Boolean).join('; ') };
}

/** Before 3.10 the server allows ten seconds between the clocks and no option changes that (src/iperf_auth.c, check_authentication). */
function clockLimit({ phases }: AttemptOutput): string | undefined {
  const argv = phases.find(({ end, name }) => end === 'far' && name === 'server')?.argv ?? [];
  return argv.includes('--rsa-private-key-path') && !argv.includes('--time-skew-threshold')
    ? 'this iperf3 also refuses when the clocks of the two hosts differ by more than 10 s: set them, or install 3.10 on the far host'
    : undefined;
}

/**
 * Linux gives at most twice net.core.rmem_max for receiving and twice wmem_max for sending (socket(7)), and iperf3 takes it
 * when it is as much as was asked for (src/iperf_tcp.c, IESETBUF2): both ends ask for both.
 */
function bufferLimits(spec: ThroughputSpec, output: AttemptOutput): string {
  return (['near', 'far'] as const)
    .flatMap((end) =>
      (['net.core.rmem_max', 'net.core.wmem_max'] as const).flatMap((key) => {
        const limit = Number(output.snapshots[end]?.sysctls[key] ?? Number.NaN);
        return 2 * limit < (spec.windowBytes ?? 0) ? [`${key} of the ${end} host is ${limit}`] : [];
      }),
    )
    .join(', ');
}

function firstLine(stderr: string): string | undefined {
  const line = stderr.split('\n').find((text) => text.trim() !== '' && !/^warning/i.test(text.trim()));
  return line === undefined ? undefined : shortened(line.replace(/^iperf3: /, ''));
}
