import { type Metric, metricOr, missing, type NullReason } from '@plumbline/model';
import type { MetricFact } from '../../metric-fact.js';
import type { EndCapture } from './read.js';
import type { CapturedConnection, CapturedEnd } from './windows.js';

/** What a capture on a throughput test says: of tests that ask for one. */
export const captureMetrics = [
  {
    name: 'window.advertised.min',
    unit: 'B',
    better: 'none',
    description:
      'Smallest window that the receiver advertised after the handshake, scaled, read from the packets at the sender where it captured them.',
  },
  {
    name: 'window.advertised.max',
    unit: 'B',
    better: 'none',
    description: 'Largest window that the receiver advertised, scaled, read from the packets.',
  },
  {
    name: 'window-scale.sender',
    unit: 'count',
    better: 'none',
    description:
      "Shift of the window-scale option in the sender's SYN as the receiver got it (RFC 7323). Null, not-offered, when the SYN came without: no window of the connection is then above 65535 bytes.",
  },
  {
    name: 'window-scale.receiver',
    unit: 'count',
    better: 'none',
    description: "The same in the receiver's SYN as the sender got it.",
  },
] as const satisfies readonly MetricFact[];

type Role = 'sender' | 'receiver';
/** Captures by the part that the end had in the transfer. */
export type Captures = Partial<Record<Role, EndCapture>>;
export interface CapturedTransfer {
  readonly captures: Captures;
  /** Who opened the connection. */
  readonly client: Role;
}

export function captureMetricsOf(transfer: CapturedTransfer): Metric[] {
  const { captures } = transfer;
  const seen = captures.sender?.connection ?? captures.receiver?.connection;
  const windows = seen && sideOf(seen, transfer, 'receiver').windows;
  const values: Record<(typeof captureMetrics)[number]['name'], Scale> = {
    'window.advertised.min': { value: windows?.minBytes, reason: 'not-measured-here' },
    'window.advertised.max': { value: windows?.maxBytes, reason: 'not-measured-here' },
    'window-scale.sender': arrivedScale(transfer, 'sender'),
    'window-scale.receiver': arrivedScale(transfer, 'receiver'),
  };
  return captureMetrics.map(({ name, unit }) => {
    const { value, reason } = values[name];
    return value === undefined ? missing(name, unit, reason) : metricOr(name, unit, value, reason);
  });
}

interface Scale {
  readonly value: number | undefined;
  readonly reason: NullReason;
}

const sideOf = (connection: CapturedConnection, { client }: CapturedTransfer, role: Role): CapturedEnd =>
  role === client ? connection.client : connection.server;

const otherOf = (role: Role): Role => (role === 'sender' ? 'receiver' : 'sender');

/** The SYN of an end as it left there, and as it came to the other. Absent: that end captured none. */
const offersOf = (transfer: CapturedTransfer, role: Role) => {
  const seenAt = (place: Role) => {
    const connection = transfer.captures[place]?.connection;
    return connection && sideOf(connection, transfer, role).offer;
  };
  return { left: seenAt(role), arrived: seenAt(otherOf(role)) };
};

function arrivedScale(transfer: CapturedTransfer, role: Role): Scale {
  const { left, arrived } = offersOf(transfer, role);
  const offer = arrived ?? left;
  return { value: offer?.windowScale, reason: offer ? 'not-offered' : 'not-measured-here' };
}

/** What a reader of the numbers must know: where an offer of window scaling was lost. Prose for the record, from the facts above. */
export function captureRemarks(transfer: CapturedTransfer): string[] {
  const roles: readonly Role[] = transfer.client === 'sender' ? ['sender', 'receiver'] : ['receiver', 'sender'];
  return roles.flatMap((role) => {
    const { left, arrived } = offersOf(transfer, role);
    if (left?.windowScale !== undefined && arrived && arrived.windowScale === undefined)
      return [
        `window scaling was taken out on the path: the SYN left the ${role} with a shift of ${left.windowScale} and came to the ${otherOf(role)} without, so no window can be above 65535 bytes`,
      ];
    // A server answers an offer only; where none came, its silence says nothing of it.
    const silent = left && left.windowScale === undefined && (role === transfer.client || offered(transfer));
    return silent
      ? [
          `the ${role} offered no window scaling (net.ipv4.tcp_window_scaling there?), so no window can be above 65535 bytes`,
        ]
      : [];
  });
}

/** Whether the client's offer came to the server, as far as was seen. */
function offered(transfer: CapturedTransfer): boolean {
  const { left, arrived } = offersOf(transfer, transfer.client);
  return (arrived ?? left)?.windowScale !== undefined;
}
