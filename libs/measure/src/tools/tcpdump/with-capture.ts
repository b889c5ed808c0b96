import type { End } from '@plumbline/model';
import { z } from 'zod';
import type { AttemptOutput, FarSide, Phase, Reading, SocketFilter, TypedAbility } from '../../ability.js';
import { type CaptureArgs, capturePhase, GRACE_MS, LEAD_MS } from './argv.js';
import { type Captures, captureMetricsOf, captureRemarks } from './metrics.js';
import { readCapture } from './read.js';

/** What of a spec this needs to know. */
interface CaptureSpec {
  readonly capture?: boolean | undefined;
  readonly direction: 'forward' | 'reverse' | 'simultaneous';
}

/** Of both directions at once there are two connections, and no way to tell whose numbers these are: that is not captured. */
const captures = ({ capture, direction }: CaptureSpec): boolean => capture === true && direction !== 'simultaneous';

/**
 * An ability of one TCP transfer that captures the headers of its packets at both ends where the spec says `capture`: as
 * evidence, and for the handshake's options and the advertised windows. The near side is the one that opens the connection.
 */
export function withCapture<S extends z.ZodType<CaptureSpec>>(ability: TypedAbility<S>): TypedAbility<S> {
  const { far } = ability;
  return {
    ...ability,
    alsoUses: [...(ability.alsoUses ?? []), 'tcpdump'],
    near: (spec, host, input) => {
      const phases = ability.near(spec, host, input);
      return captures(spec) ? phases.flatMap((phase) => [...besideTest(phase, input), phase]) : phases;
    },
    ...(far && {
      far: (spec, host, input) => {
        const side = far(spec, host, input);
        return captures(spec) ? withCompanion(side, input.peerAddress) : side;
      },
    }),
    read: (spec, output) => {
      const reading = ability.read(spec, output);
      if (!spec.capture) return reading;
      return captures(spec) ? withCaptures(reading, output, spec.direction) : withoutCapture(reading);
    },
    longestDurationMs: (spec) => ability.longestDurationMs(spec) + (captures(spec) ? LEAD_MS + GRACE_MS : 0),
  };
}

function besideTest(phase: Phase, { interface: device, peerAddress }: Omit<CaptureArgs, 'port'>): Phase[] {
  const port = phase.name === 'test' ? portOf(phase.sockets) : undefined;
  const place = device === undefined ? {} : { interface: device };
  return port === undefined ? [] : [capturePhase({ ...place, peerAddress, port }, phase.timeoutMs)];
}

function withCompanion(side: FarSide, peerAddress: string): FarSide {
  const [server] = side.servers;
  const port = portOf(server.sockets) ?? server.listensOn.port;
  return { ...side, companions: [...(side.companions ?? []), capturePhase({ peerAddress, port }, server.timeoutMs)] };
}

/** The port by which the test's sockets are told from others. */
const portOf = (sockets: SocketFilter | undefined): number | undefined => sockets?.localPort ?? sockets?.peerPort;

/** Both directions at once: the metrics that were asked for are null, and the notes say why. */
const withoutCapture = (reading: Reading): Reading => ({
  ...reading,
  metrics: [...reading.metrics, ...captureMetricsOf({ captures: {}, client: 'sender' })],
  notes: [...reading.notes, 'capture: of one direction at a time; ask for forward, reverse or both'],
});

const Result = z.record(z.string(), z.unknown());

function withCaptures(reading: Reading, { phases }: AttemptOutput, direction: CaptureSpec['direction']): Reading {
  const [near, far] = (['near', 'far'] as const).map((end: End) => readCapture(phases, end));
  // Both ways at once: the near side is called the sender, as the one that opens the connections.
  const [sender, receiver] = direction === 'reverse' ? [far, near] : [near, far];
  const seen: Captures = {
    ...(sender?.capture ? { sender: sender.capture } : {}),
    ...(receiver?.capture ? { receiver: receiver.capture } : {}),
  };
  const transfer = { captures: seen, client: direction === 'reverse' ? 'receiver' : 'sender' } as const;
  const result = Result.safeParse(reading.result).data;
  return {
    ending: reading.ending,
    metrics: [...reading.metrics, ...captureMetricsOf(transfer)],
    result: result ? { ...result, captures: seen } : reading.result,
    notes: [...reading.notes, ...(near?.notes ?? []), ...(far?.notes ?? []), ...captureRemarks(transfer)],
  };
}
