import type { EndAccount, Metric } from '@plumbline/model';
import type { ThroughputResult } from './result.js';

type Role = EndAccount['role'];

/** Which end's numbers a metric comes from. The receiver's count is the one to trust; what held a flow back, only its sender knows. */
const MEASURED_BY: Readonly<Record<string, Role | 'near'>> = {
  throughput: 'receiver',
  fairness: 'receiver',
  'transfer-time-ratio': 'receiver',
  'cpu.receiver': 'receiver',
  retransmits: 'sender',
  'rtt.min': 'sender',
  'rtt.mean': 'sender',
  'rtt.max': 'sender',
  'cwnd.max': 'sender',
  'window.max': 'sender',
  'limited.receive-window': 'sender',
  'limited.send-buffer': 'sender',
  efficiency: 'sender',
  'buffer-delay': 'sender',
  'cpu.sender': 'sender',
  'rtt.baseline': 'near',
};

/** Joins sender and receiver: what each measured, its CPU, its congestion control and its sampled sockets. */
export function endsOf(result: ThroughputResult, metrics: readonly Metric[]): EndAccount[] {
  const roles: readonly Role[] = ['sender', 'receiver'];
  const known = new Set(metrics.flatMap((metric) => (metric.value === null ? [] : [metric.name])));
  return roles.map((role) => {
    const end = (role === 'sender') === (result.direction === 'forward') ? 'near' : 'far';
    const isOwn = (name: string): boolean => MEASURED_BY[name] === role || MEASURED_BY[name] === end;
    return {
      end,
      role,
      toolVersion: result.versions[end],
      congestionControl: result.congestionControl[role],
      congestionControlSampled: seenAlgorithm(result, role),
      cpuRatio: result.cpu[role],
      sockets: sampledOf(result, role),
      measured: [...known].filter(isOwn),
    };
  });
}

const socketsOf = ({ streams, sockets }: ThroughputResult, role: Role) =>
  (streams?.map((stream) => stream.sockets[role]) ?? [sockets[role]]).filter((socket) => socket !== undefined);

const seenAlgorithm = (result: ThroughputResult, role: Role): boolean =>
  socketsOf(result, role).some(({ congestionControl }) => congestionControl !== undefined);

function sampledOf(result: ThroughputResult, role: Role): EndAccount['sockets'] {
  const together = result.sockets[role];
  if (!together) return undefined;
  const { sampleCount, mssBytes, rttMeanMs, cwndMaxBytes, sndWndMaxBytes, rcvWndMaxBytes } = together;
  const { sndBufMaxBytes, rcvBufMaxBytes, sndWscale, rcvWscale } = together;
  return {
    count: socketsOf(result, role).length,
    samples: sampleCount,
    ...{ mssBytes, rttMeanMs, cwndMaxBytes, sndWndMaxBytes, rcvWndMaxBytes },
    ...{ sndBufMaxBytes, rcvBufMaxBytes, sndWscale, rcvWscale },
  };
}
