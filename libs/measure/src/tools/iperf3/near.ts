import { type End, type Ending, ended } from '@plumbline/model';
import type { NearInput, Phase, ProbeHost } from '../../ability.js';
import type { ThroughputSpec } from '../../measurements/throughput/index.js';
import { atLeast } from '../../tool.js';
import { BASELINE_TIMEOUT_MS, baselinePhase } from '../ping/argv.js';
import { CONNECT_TIMEOUT_MS, clientArgv } from './argv.js';
import { Peer } from './peer.js';
import { localPortsOf, moreStreamsMs } from './stream-ports.js';
import { IPERF3_OLDEST, iperf3, iperf3Can } from './version.js';

/** Why this host cannot run the test in that role; undefined: it can. */
export function refuses(spec: ThroughputSpec, role: End, host: ProbeHost): Ending | undefined {
  const text = host.tools.iperf3;
  if (text === undefined)
    return ended('tool-missing', `iperf3 is missing on the ${role} host; install the package ${iperf3.package}.`);
  const version = iperf3.parseVersion(text);
  if (version !== undefined && !atLeast(version, IPERF3_OLDEST))
    return ended('tool-too-old', `The ${role} host has iperf3 ${version}; ${IPERF3_OLDEST} or newer is needed.`);
  const can = iperf3Can(text);
  if (spec.mssBytes !== undefined && spec.mssBytes > can.largestMssBytes)
    return ended('parameter-unsupported', `iperf3 ${can.version} sets an MSS of at most ${can.largestMssBytes} bytes.`);
  if (spec.direction === 'simultaneous' && role === 'near' && !atLeast(can.version, SIMULTANEOUS_SINCE))
    return ended(
      'tool-too-old',
      `iperf3 ${can.version} cannot run both directions from ports of ours; ${SIMULTANEOUS_SINCE} or newer is needed.`,
    );
  return refusesCongestionControl(spec, role, host);
}

/** With --cport and --bidir both directions took the same ports before (iperf issue 1249). */
const SIMULTANEOUS_SINCE = '3.12';

/**
 * The client sets the algorithm in either direction and fails without it. A server without it prints a warning and sends
 * with another (iperf_server_api.c, ENOENT): so it is asked before, where it is the sender.
 */
function refusesCongestionControl(spec: ThroughputSpec, role: End, host: ProbeHost): Ending | undefined {
  const wanted = spec.congestionControl;
  if (wanted === undefined || host.congestionControls.includes(wanted)) return undefined;
  if (role === 'far' && spec.direction === 'forward') return undefined;
  const has = host.congestionControls.join(', ') || 'none that it could name';
  return ended('congestion-control-unavailable', `The ${role} host does not have ${wanted}; it has ${has}.`);
}

const testTimeoutMs = (spec: ThroughputSpec): number =>
  (spec.omitS + spec.durationS) * 1000 + CONNECT_TIMEOUT_MS + moreStreamsMs(spec) + 15_000;

/** The longest that the attempt may take: the baseline, the connection, the test, the exchange of results. */
export const longestDurationMs = (spec: ThroughputSpec): number => BASELINE_TIMEOUT_MS + testTimeoutMs(spec) + 5_000;

/**
 * A ping baseline where the host has ping, then the client.
 * @throws {z.ZodError} when what the far side answered does not have its form.
 */
export function near(spec: ThroughputSpec, host: ProbeHost, input: NearInput): readonly Phase[] {
  const peer = Peer.parse(input.peer);
  const baseline = baselinePhase(host, input);
  const test: Phase = {
    name: 'test',
    tool: 'iperf3',
    argv: clientArgv(iperf3Can(host.tools.iperf3 ?? ''), spec, {
      address: input.address,
      peerAddress: input.peerAddress,
      port: peer.port,
      localPort: input.localPort,
      ...(peer.authentication ? { authentication: peer.authentication } : {}),
    }),
    ...(peer.authentication
      ? { env: { IPERF3_PASSWORD: peer.authentication.password }, files: { pub: peer.authentication.publicKeyPem } }
      : {}),
    timeoutMs: testTimeoutMs(spec),
    sockets: { ...localPortsOf(spec, input.localPort), peerAddress: input.peerAddress },
  };
  return baseline ? [baseline, test] : [test];
}
