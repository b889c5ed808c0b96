import { type Ending, ended } from '@plumbline/model';
import { type AttemptOutput, defineAbility, type NearInput, type Phase, type Reading } from '../../ability.js';
import { type RttResult, type RttSpec, rtt, rttMetricsOf } from '../../measurements/rtt/index.js';
import { synArgv, synsTimeoutMs } from './argv.js';
import { type HpingOutput, parseHping } from './parse.js';
import { countsOf } from './reachability.js';
import { endingOfSyns, refusesSyns } from './refuses.js';

/** A port that answers in most places, open or closed: either way the host has replied. */
const DEFAULT_PORT = 443;
const synsOf = ({ port = DEFAULT_PORT, count, omitCount, intervalS }: RttSpec) => ({
  port,
  count: count + omitCount,
  intervalS,
});

export const rttSynPhase = (spec: RttSpec, input: NearInput): Phase => ({
  name: 'syn',
  tool: 'hping3',
  argv: synArgv(synsOf(spec), input),
  timeoutMs: synsTimeoutMs(synsOf(spec)),
  optional: true,
});

/** Round trips of SYNs: an answer of the port counts, SYN-ACK or RST; an ICMP error is none, whatever hping3's summary says. */
export function readRttBySyn(spec: RttSpec, output: AttemptOutput): Reading {
  const phase = output.phases.find(({ end, name }) => end === 'near' && name === 'syn');
  const parsed = phase && parseHping(phase.stdout, phase.stderr);
  const ending = endingOfSyns(output.ending, phase, parsed?.sent) ?? endingOfCounts(spec, parsed);
  const result = parsed && resultOf(spec, parsed);
  const errors = parsed ? countsOf(parsed.errors) : [];
  const notes = [
    ...(parsed?.notes ?? []),
    ...errors.map(({ from, text, count }) => `${count} ICMP errors from ${from}: ${text}`),
    ...(result ? ['hping3 tells round trips to 0.1 ms'] : []),
  ];
  return { ending, metrics: rttMetricsOf(result, ending), result: result ?? null, notes };
}

const isAnswer = (flags: string): boolean => flags.includes('R') || (flags.includes('S') && flags.includes('A'));

/** SYNs after the omitted ones, each with its answer. It may have sent fewer than asked: errors count as answers for it. */
function resultOf(spec: RttSpec, parsed: HpingOutput): RttResult | undefined {
  const total = Math.min(parsed.sent ?? 0, spec.count + spec.omitCount);
  const sent = total - spec.omitCount;
  if (sent <= 0) return undefined;
  const counted = parsed.replies.filter(
    ({ index, flags }) => isAnswer(flags) && index >= spec.omitCount && index < total,
  );
  const rttsMs: (number | null)[] = Array.from({ length: sent }, () => null);
  for (const { index, rttMs } of counted) rttsMs[index - spec.omitCount] = rttMs ?? null;
  return {
    tool: 'hping3',
    sent,
    received: counted.length,
    duplicates: parsed.duplicates,
    rttsMs,
    untimed: counted.filter(({ rttMs }) => rttMs === undefined).length,
    payloadBytes: 0,
    intervalS: spec.intervalS,
    omitted: spec.omitCount,
    errors: countsOf(parsed.errors),
  };
}

function endingOfCounts(spec: RttSpec, parsed: HpingOutput | undefined): Ending {
  const wanted = spec.count + spec.omitCount;
  const sent = parsed?.sent ?? 0;
  const answers = parsed?.replies.length ?? 0;
  const beyond = parsed?.replies.some(({ index }) => index >= sent) ?? false;
  if (sent <= 0 || sent > wanted || answers > sent || beyond)
    return ended('output-unreadable', `hping3 sent ${sent} of ${wanted} SYNs; its lines show ${answers} answers.`);
  if (sent < wanted && (parsed?.errors.length ?? 0) + answers + (parsed?.duplicates ?? 0) < wanted)
    return ended('interrupted', `hping3 sent ${sent} of ${wanted} SYNs.`);
  return sent > spec.omitCount ? { outcome: 'completed' } : ended('interrupted', 'hping3 sent no SYN that counts.');
}

export const rttByHping3 = defineAbility(rtt, {
  tool: 'hping3',
  refuses: refusesSyns,
  near: (spec, _host, input) => [rttSynPhase(spec, input)],
  read: readRttBySyn,
  longestDurationMs: (spec) => synsTimeoutMs(synsOf(spec)) + 2_000,
});
