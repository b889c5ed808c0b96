import type { NearInput, Phase, ProbeHost } from '../../ability.js';
import type { TraceSpec } from '../../measurements/trace/index.js';
import { mtrCan } from './version.js';

/** mtr refuses less than a second between cycles to users other than root (ui/mtr.c). */
const intervalS = (host: ProbeHost): number => (host.root === true ? 0.2 : 1);
/** Flows start this long after each other, so that they are no burst. */
const STAGGER_MS = 50;
/** After the last cycle mtr waits for answers (its grace time is 5 s), and it needs one cycle a hop to find the way. */
const MARGIN_MS = 15_000;
/** Ports that name the flows: the first of traceroute, and local ones away from the kernel's own. */
const UDP_PORT = 33_434;
const FIRST_LOCAL_PORT = 28_001;

export const flowPhase = (flow: number): string => `flow-${flow}`;

export const mtrTimeoutMs = ({ cycles, maxHops }: TraceSpec): number => cycles * 1000 + maxHops * 300 + MARGIN_MS;

/** Flows run beside each other; where nothing can, one after the other. */
export const mtrDurationMs = (spec: TraceSpec): number => spec.flows * mtrTimeoutMs(spec) + 2_000;

/** One mtr a flow. With both ports given, UDP packets carry their number in the checksum, and the flow is one (packet/construct_unix.c). */
export function mtrPhases(spec: TraceSpec, host: ProbeHost, input: NearInput): readonly Phase[] {
  return Array.from({ length: spec.flows }, (_, i) => ({
    name: flowPhase(i + 1),
    tool: 'mtr',
    argv: [
      ...['mtr', '--json', '-n', '-c', String(spec.cycles), '-i', String(intervalS(host)), '-m', String(spec.maxHops)],
      ...[input.peerAddress.includes(':') ? '-6' : '-4', '-a', input.address],
      ...(input.interface === undefined || !mtrCan(host).interface ? [] : ['-I', input.interface]),
      ...methodOptions(spec, i),
      input.peerAddress,
    ],
    timeoutMs: mtrTimeoutMs(spec),
    ...(i === spec.flows - 1 ? {} : { beside: { leadMs: STAGGER_MS, graceMs: MARGIN_MS } }),
  }));
}

function methodOptions({ method, port }: TraceSpec, flow: number): string[] {
  if (method === 'udp') return ['-u', '-P', String(UDP_PORT), '-L', String(FIRST_LOCAL_PORT + flow)];
  return method === 'tcp-syn' ? ['-T', '-P', String(port)] : [];
}
