import { type End, type Ending, ended } from '@plumbline/model';
import { defineAbility, type FarInput, type NearInput, type Phase, type ProbeHost } from '../../ability.js';
import { ThroughputSpec } from '../../measurements/throughput/index.js';
import { type UdpLoadSpec, udpLoad } from '../../measurements/udp-load/index.js';
import { atLeast } from '../../tool.js';
import { CONNECT_TIMEOUT_MS } from './argv.js';
import { far, nearFacts, Peer } from './peer.js';
import { rateOfStreamBps, udpClientArgv } from './udp-argv.js';
import { readUdp } from './udp-read.js';
import { IPERF3_OLDEST, iperf3, iperf3Can } from './version.js';

/** iperf3 waits this long for the answer to the datagram that opens a stream (src/iperf_udp.c). */
const UDP_CONNECT_TIMEOUT_MS = 30_000;
/** Less than a datagram a second of each stream would be no constant load. */
const LEAST_STREAM_BPS = 1000;

function refuses(spec: UdpLoadSpec, role: End, host: ProbeHost): Ending | undefined {
  const text = host.tools.iperf3;
  if (text === undefined)
    return ended('tool-missing', `iperf3 is missing on the ${role} host; install the package ${iperf3.package}.`);
  const version = iperf3.parseVersion(text);
  if (version !== undefined && !atLeast(version, IPERF3_OLDEST))
    return ended('tool-too-old', `The ${role} host has iperf3 ${version}; ${IPERF3_OLDEST} or newer is needed.`);
  if (rateOfStreamBps(spec) < LEAST_STREAM_BPS)
    return ended('parameter-unsupported', `${spec.rateBps} bit/s are too little for ${spec.streams} streams.`);
  return undefined;
}

const testTimeoutMs = (spec: UdpLoadSpec): number =>
  spec.durationS * 1000 + CONNECT_TIMEOUT_MS + UDP_CONNECT_TIMEOUT_MS + 15_000;

function near(spec: UdpLoadSpec, host: ProbeHost, input: NearInput): readonly Phase[] {
  const { port, authentication } = Peer.parse(input.peer);
  const { address, peerAddress, localPort } = input;
  const args = { address, peerAddress, port, localPort, ...(authentication ? { authentication } : {}) };
  return [
    {
      name: 'test',
      tool: 'iperf3',
      argv: udpClientArgv(iperf3Can(host.tools.iperf3 ?? ''), spec, args),
      ...(authentication
        ? { env: { IPERF3_PASSWORD: authentication.password }, files: { pub: authentication.publicKeyPem } }
        : {}),
      timeoutMs: testTimeoutMs(spec),
    },
  ];
}

/** The server is the same as for TCP: the protocol is the client's choice. Its data sockets are no TCP sockets to sample. */
function farOf(spec: UdpLoadSpec, host: ProbeHost, input: FarInput) {
  const stand = ThroughputSpec.parse({ direction: spec.direction, durationS: spec.durationS });
  const { servers, peer } = far(stand, host, input);
  const [server] = servers;
  return { servers: [{ ...server, timeoutMs: server.timeoutMs + UDP_CONNECT_TIMEOUT_MS }] as const, peer };
}

export const udpLoadByIperf3 = defineAbility(udpLoad, {
  tool: 'iperf3',
  refuses,
  nearFacts: (_spec, host) => nearFacts(host),
  far: farOf,
  near,
  read: readUdp,
  longestDurationMs: (spec) => testTimeoutMs(spec) + 5_000,
});
