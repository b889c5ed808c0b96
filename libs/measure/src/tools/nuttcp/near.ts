import { type End, type Ending, ended, type SocketSample } from '@plumbline/model';
import { z } from 'zod';
import type { FarInput, NearInput, Phase, PhaseOutput, ProbeHost, Server } from '../../ability.js';
import type { ThroughputSpec } from '../../measurements/throughput/index.js';
import { atLeast } from '../../tool.js';
import { BASELINE_TIMEOUT_MS, baselinePhase } from '../ping/argv.js';
import { clientArgv, type NuttcpPorts, serverArgv } from './argv.js';
import { nuttcpCannot } from './cannot.js';
import { NUTTCP_OLDEST, nuttcp } from './version.js';

const MARGIN_MS = 20_000;
const PortNumber = z.int().min(1).max(65535);

/** `port` is the control port: what the far probe consents to by name. */
export const Peer = z.object({ port: PortNumber, dataPort: PortNumber });
export type Peer = z.output<typeof Peer>;

/** Why this host cannot run the test with nuttcp in that role; undefined: it can. */
export function refuses(spec: ThroughputSpec, role: End, host: ProbeHost): Ending | undefined {
  const text = host.tools.nuttcp;
  if (text === undefined)
    return ended('tool-missing', `nuttcp is missing on the ${role} host; install the package ${nuttcp.package}.`);
  const version = nuttcp.parseVersion(text);
  if (version !== undefined && !atLeast(version, NUTTCP_OLDEST))
    return ended('tool-too-old', `The ${role} host has nuttcp ${version}; ${NUTTCP_OLDEST} or newer is needed.`);
  const [cannot] = nuttcpCannot(spec);
  return cannot && ended('parameter-unsupported', cannot.why);
}

const testTimeoutMs = (spec: ThroughputSpec): number => spec.durationS * 1000 + MARGIN_MS;
export const longestDurationMs = (spec: ThroughputSpec): number => BASELINE_TIMEOUT_MS + testTimeoutMs(spec) + 5_000;

/** A ping baseline where the host has ping, then the client. */
export function near(spec: ThroughputSpec, host: ProbeHost, input: NearInput): readonly Phase[] {
  const { port, dataPort } = Peer.parse(input.peer);
  const baseline = baselinePhase(host, input);
  const test: Phase = {
    name: 'test',
    tool: 'nuttcp',
    argv: clientArgv(spec, input.peerAddress, { control: port, data: dataPort }),
    timeoutMs: testTimeoutMs(spec),
    sockets: { peerPort: dataPort, peerAddress: input.peerAddress },
  };
  return baseline ? [baseline, test] : [test];
}

export function far(spec: ThroughputSpec, _host: ProbeHost, input: FarInput): { servers: [Server]; peer: Peer } {
  const [data] = input.morePorts;
  if (data === undefined) throw new Error('nuttcp needs two ports of the far probe');
  const ports: NuttcpPorts = { control: input.port, data };
  const server: Server = {
    name: 'server',
    tool: 'nuttcp',
    argv: serverArgv(input.address, ports),
    timeoutMs: testTimeoutMs(spec) + 10_000,
    listensOn: { protocol: 'tcp', port: ports.control },
    sockets: { localPort: ports.data, peerAddress: input.peerAddress },
  };
  return { servers: [server], peer: { port: ports.control, dataPort: ports.data } };
}

/** The data connection is the one to the data port; the control connection has the other. */
export function isDataSocket(sample: SocketSample, phases: readonly PhaseOutput[]): boolean {
  const argv = phases.find((phase) => phase.end === 'near' && phase.name === 'test')?.argv ?? [];
  const dataPort = argv[argv.indexOf('-p') + 1];
  return argv.includes('-p') && String(sample.end === 'near' ? sample.peerPort : sample.localPort) === dataPort;
}
