import { type End, type Ending, ended } from '@plumbline/model';
import { type AttemptOutput, defineAbility, type ProbeHost, type Reading } from '../../ability.js';
import {
  type TraceHop,
  type TraceResult,
  type TraceSpec,
  trace,
  traceMetricsOf,
  traceRemarks,
} from '../../measurements/trace/index.js';
import { synsTimeoutMs, traceArgv } from './argv.js';
import { type HpingOutput, parseHping } from './parse.js';
import { countsOf } from './reachability.js';
import { endingOfSyns, refusesSyns } from './refuses.js';

const INTERVAL_S = 0.3;

/** Reads a trace of SYNs: each hop once, so of loss it says nothing. A silent hop stops hping3, which says so. Never throws. */
export function readSynTrace(spec: TraceSpec, output: AttemptOutput): Reading {
  const phase = output.phases.find(({ end, name }) => end === 'near' && name === 'trace');
  const parsed = phase && parseHping(phase.stdout, phase.stderr);
  const destination = phase?.argv.at(-1) ?? '';
  const result = parsed && resultOf(spec, parsed, destination);
  const ending = endingOfSyns(output.ending, phase, parsed?.sent) ?? { outcome: 'completed' };
  const metrics = traceMetricsOf(result, ending);
  const refusals = countsOf(parsed?.errors.filter(({ hop }) => hop === undefined) ?? []);
  const notes = [
    ...(parsed?.notes ?? []),
    ...refusals.map(({ from, text, count }) => `${count} times from ${from}: ${text}`),
    ...(result ? [...traceRemarks(result), ...stopped(result)] : []),
  ];
  return { ending, metrics, result: result ?? null, notes };
}

function resultOf({ method }: TraceSpec, { errors, hopRtts, replies }: HpingOutput, destination: string): TraceResult {
  const hops: TraceHop[] = [];
  for (const { hop, from } of errors) {
    if (hop === undefined || hops.some((known) => known.hop === hop)) continue;
    const rttMs = hopRtts.find((rtt) => rtt.hop === hop)?.rttMs;
    hops.push({ hop, hosts: [from], sent: 1, answered: 1, ...timesOf(rttMs) });
  }
  const end = replies.find(({ from }) => from === destination);
  const last = hops.reduce((most, { hop }) => Math.max(most, hop), 0);
  if (end) hops.push({ hop: last + 1, hosts: [end.from], sent: 1, answered: 1, ...timesOf(end.rttMs) });
  const flow = { flow: 1, reached: end !== undefined, hops: hops.sort((a, b) => a.hop - b.hop) };
  return { tool: 'hping3', method, destination, pinned: false, counted: false, flows: [flow] };
}

const timesOf = (rttMs: number | undefined): Pick<TraceHop, 'rttMinMs' | 'rttMeanMs' | 'rttMaxMs'> =>
  rttMs === undefined ? {} : { rttMinMs: rttMs, rttMeanMs: rttMs, rttMaxMs: rttMs };

/** It raises the TTL only when the hop before has answered. */
function stopped({ flows: [flow] }: TraceResult): string[] {
  if (!flow || flow.reached) return [];
  return [`hop ${(flow.hops.at(-1)?.hop ?? 0) + 1} is silent, and hping3 cannot see past it: mtr can`];
}

function refuses(spec: TraceSpec, role: End, host: ProbeHost): Ending | undefined {
  if (role === 'near' && spec.method !== 'tcp-syn')
    return ended('parameter-unsupported', 'hping3 traces by TCP SYN only here; name mtr or tracepath.');
  return refusesSyns(spec, role, host);
}

/** One answer moves it on, and a few may be lost. */
const synsOf = ({ port, maxHops }: TraceSpec) => ({ port, count: maxHops + 5, intervalS: INTERVAL_S });

export const traceByHping3 = defineAbility(trace, {
  tool: 'hping3',
  refuses,
  near: (spec, _host, input) => [
    {
      name: 'trace',
      tool: 'hping3',
      argv: traceArgv(synsOf(spec), input),
      timeoutMs: synsTimeoutMs(synsOf(spec)),
      optional: true,
    },
  ],
  read: readSynTrace,
  longestDurationMs: (spec) => synsTimeoutMs(synsOf(spec)) + 2_000,
});
