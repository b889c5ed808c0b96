import type { ThroughputSpec } from '../../measurements/throughput/index.js';
import type { Iperf3Can } from './version.js';

/** How long the control connection may take to be set up. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** A receiver that gets no byte for this long gives up (--rcv-timeout counts milliseconds, default 120000). */
export const RECEIVE_TIMEOUT_MS = 30_000;
/** A server that nobody connects to ends itself (--idle-timeout counts seconds). */
export const IDLE_TIMEOUT_S = 10;
/** The credentials live for one attempt, so that a replay gains nothing: clocks may differ by a day. */
const TIME_SKEW_S = 86_400;

export type Padding = 'pkcs1' | 'oaep';

export interface ServerArgs {
  readonly address: string;
  readonly port: number;
  /** Absent: one of the two iperf3 was built without OpenSSL. */
  readonly authentication?: { readonly padding: Padding };
}

/**
 * The far side: a server for one test (`-1`) on its own port, so that nothing else can keep it busy.
 * `{file:key}` and `{file:users}` are replaced by the probe.
 */
export function serverArgv(can: Iperf3Can, args: ServerArgs): string[] {
  const argv = ['iperf3', '-s', '-1', '-p', String(args.port), '-B', args.address, '-J'];
  if (can.timeouts) argv.push('--idle-timeout', String(IDLE_TIMEOUT_S), '--rcv-timeout', String(RECEIVE_TIMEOUT_MS));
  if (!args.authentication) return argv;
  argv.push('--rsa-private-key-path', '{file:key}', '--authorized-users-path', '{file:users}');
  if (can.timeouts) argv.push('--time-skew-threshold', String(TIME_SKEW_S));
  if (can.oaep && args.authentication.padding === 'pkcs1') argv.push('--use-pkcs1-padding');
  return argv;
}

export interface ClientArgs {
  readonly address: string;
  readonly peerAddress: string;
  readonly port: number;
  /** Of the first data socket (--cport), the next streams taking those after it; the control socket takes another. */
  readonly localPort: number;
  readonly authentication?: { readonly user: string; readonly padding: Padding };
}

/**
 * What each stream may send: `-b` is of one stream (iperf3(1)), the spec's rate of all. Rounded down, so that together they
 * never pass it.
 */
const rateOfStreamBps = ({ rateBps, streams }: ThroughputSpec): number | undefined =>
  rateBps === undefined ? undefined : Math.floor(rateBps / streams);

/** The near side: TCP, JSON, one-second intervals. The password is in the environment, never here. */
export function clientArgv(can: Iperf3Can, spec: ThroughputSpec, args: ClientArgs): string[] {
  const argv = ['iperf3', '-c', args.peerAddress, '-p', String(args.port), '-B', args.address];
  argv.push('--cport', String(args.localPort), '-J', '-i', '1', '-t', String(spec.durationS));
  argv.push('--connect-timeout', String(CONNECT_TIMEOUT_MS));
  if (spec.omitS > 0) argv.push('-O', String(spec.omitS));
  if (spec.streams > 1) argv.push('-P', String(spec.streams));
  if (spec.direction === 'reverse') argv.push('-R');
  if (spec.direction === 'simultaneous') argv.push('--bidir');
  // A client that only sends refuses --rcv-timeout (iperf_error.c, IERVRSONLYRCVTIMEOUT).
  if (spec.direction !== 'forward' && can.timeouts) argv.push('--rcv-timeout', String(RECEIVE_TIMEOUT_MS));
  argv.push(...options('-C', spec.congestionControl), ...options('-w', spec.windowBytes));
  argv.push(...options('-M', spec.mssBytes), ...options('--dscp', spec.dscp), ...options('-b', rateOfStreamBps(spec)));
  // Idle seconds, seconds between, count: without them the kernel's two hours hold (iperf_api.c, OPT_CNTL_KA).
  if (can.controlKeepalive) argv.push('--cntl-ka=30/10/6');
  if (!args.authentication) return argv;
  argv.push('--username', args.authentication.user, '--rsa-public-key-path', '{file:pub}');
  if (can.oaep && args.authentication.padding === 'pkcs1') argv.push('--use-pkcs1-padding');
  return argv;
}

const options = (flag: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [flag, String(value)];

/** The value after a flag in an argv that was recorded; undefined when the flag is not there. */
export function optionOf(argv: readonly string[], flag: string): string | undefined {
  const at = argv.indexOf(flag);
  return at < 0 ? undefined : argv[at + 1];
}
