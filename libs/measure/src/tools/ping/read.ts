import { type Ending, ended } from '@plumbline/model';
import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import { type RttResult, type RttSpec, rttMetricsOf } from '../../measurements/rtt/index.js';
import { type PingOutput, parsePing } from './parse.js';
import { ping } from './version.js';

/** Reads what an rtt attempt left behind. Never throws. */
export function read(spec: RttSpec, output: AttemptOutput): Reading {
  const phase = output.phases.find(({ end, name }) => end === 'near' && name === 'ping');
  const parsed = phase && parsePing(phase.stdout);
  const ending = endingOf(spec, output, phase, parsed);
  const result = parsed && resultOf(spec, parsed);
  const metrics = rttMetricsOf(result, ending);
  return { ending, metrics, result: result ?? null, notes: parsed ? [...parsed.notes, ...errorNotes(parsed)] : [] };
}

/**
 * ping's exit code is 1 when nothing came back, which is a measurement: loss 1. So a plain tool-failed of the probe is
 * judged again here; any other cause that the probe names is the first cause and stays.
 */
function endingOf(
  spec: RttSpec,
  { ending }: AttemptOutput,
  phase: PhaseOutput | undefined,
  parsed: PingOutput | undefined,
): Ending {
  if (ending.outcome !== 'completed' && ending.reason !== 'tool-failed') return ending;
  if (!phase || !parsed) return ended('output-empty');
  if (phase.signal !== null) return ended('tool-killed', `ping was ended by ${phase.signal}.`);
  const complaint = classifyStderr(phase.stderr);
  if (parsed.sent === undefined || parsed.received === undefined) {
    if (parsed.replies.length > 0) return ended('interrupted', 'ping printed no summary.');
    return complaint ?? ended(phase.stdout.trim() === '' ? 'output-empty' : 'output-unreadable');
  }
  if (parsed.received === 0 && complaint && parsed.errors.length === 0) return complaint;
  if (phase.exitCode !== 0 && !(phase.exitCode === 1 && parsed.received < parsed.sent))
    return complaint ?? ended('tool-failed', `ping ended with exit code ${phase.exitCode}.`);
  return countsEnding(spec, parsed, parsed.sent, parsed.received);
}

function countsEnding(spec: RttSpec, parsed: PingOutput, sent: number, received: number): Ending {
  const wanted = spec.count + spec.omitCount;
  const beyond = parsed.replies.some((reply) => reply.index >= sent);
  if (parsed.replies.length !== received || received > sent || sent > wanted || beyond)
    return ended(
      'output-unreadable',
      `ping's summary says ${sent} sent and ${received} received; its lines show ${parsed.replies.length} replies, and ${wanted} were asked for.`,
    );
  if (sent < wanted) return ended('interrupted', `ping sent ${sent} of ${wanted} requests.`);
  return { outcome: 'completed' };
}

/** What ping's complaints mean (iputils ping.c, BusyBox ping.c, strerror(3)). */
function classifyStderr(stderr: string): Ending | undefined {
  const words = stderr.toLowerCase();
  const line = stderr.split('\n').find((text) => text.trim() !== '' && !/^(ping: )?warning/i.test(text.trim()));
  if (line === undefined) return undefined;
  if (/network is unreachable|no route to host|host is unreachable|network unreachable/.test(words))
    return ended('no-route', line.trim());
  if (/minimal interval allowed|cannot flood|invalid number/.test(words))
    return ended('parameter-unsupported', line.trim());
  if (/(invalid|unrecognized|unknown) option/.test(words))
    return ended('tool-too-old', `${line.trim()}; install the package ${ping.package}.`);
  if (/cannot assign requested address/.test(words)) return ended('local-address-unavailable', line.trim());
  return ended('tool-failed', line.trim());
}

/** Requests after the omitted ones, each with its reply; undefined: not even one was sent, or nobody knows how many. */
function resultOf(spec: RttSpec, parsed: PingOutput): RttResult | undefined {
  const greatest = parsed.replies.reduce((most, reply) => Math.max(most, reply.index + 1), 0);
  const total = Math.min(parsed.sent ?? greatest, spec.count + spec.omitCount);
  const sent = total - spec.omitCount;
  if (sent <= 0) return undefined;
  const counted = parsed.replies.filter(({ index }) => index >= spec.omitCount && index < total);
  const rttsMs: (number | null)[] = Array.from({ length: sent }, () => null);
  for (const { index, rttMs } of counted) rttsMs[index - spec.omitCount] = rttMs ?? null;
  return {
    tool: 'ping',
    sent,
    received: counted.length,
    duplicates: parsed.duplicates,
    rttsMs,
    untimed: counted.filter((reply) => reply.rttMs === undefined).length,
    payloadBytes: spec.payloadBytes,
    intervalS: spec.intervalS,
    omitted: spec.omitCount,
    errors: errorCounts(parsed),
  };
}

function errorCounts(parsed: PingOutput): RttResult['errors'] {
  const counts = new Map<string, { from: string; text: string; count: number }>();
  for (const { from, text } of parsed.errors) {
    const known = counts.get(`${from} ${text}`);
    counts.set(`${from} ${text}`, { from, text, count: (known?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

const errorNotes = (parsed: PingOutput): string[] =>
  errorCounts(parsed).map(({ from, text, count }) => `${count} ICMP errors from ${from}: ${text}`);
