import { type End, type Ending, ended, type SocketSample } from '@plumbline/model';
import { z } from 'zod';
import type { FarInput, NearInput, Phase, PhaseOutput, ProbeHost, Server } from '../../ability.js';
import { IDLE_S, LOAD_LEAD_S, type TransactionsSpec } from '../../measurements/transactions/index.js';
import { BASELINE_TIMEOUT_MS, baselinePhase } from '../ping/argv.js';
import { bouncebackArgv, type Iperf2Ends, loadArgv, serverArgv } from './argv.js';
import { BOUNCEBACK_SINCE, iperf2, iperf2Can, iperf2Text, REPLY_SIZE_SINCE } from './version.js';

/** For connecting, the last transaction and the end of the connection. */
const MARGIN_MS = 15_000;
/** The load goes on a little longer than the test, and ends by itself. */
const LOAD_AFTER_S = 1;
/** A deep queue of load takes this long to drain before the load has its result. */
const LOAD_GRACE_MS = 8_000;

const PortNumber = z.int().min(1).max(65535);
export const Peer = z.object({ port: PortNumber, loadPort: PortNumber.optional(), version: z.string().optional() });
export type Peer = z.output<typeof Peer>;

/** Why this host cannot run the test in that role; undefined: it can. Both ends need the same abilities. */
export function refuses(
  { requestBytes, replyBytes }: TransactionsSpec,
  role: End,
  host: ProbeHost,
): Ending | undefined {
  const text = iperf2Text(host);
  if (text === undefined)
    return ended(
      'tool-missing',
      `iperf 2 is missing on the ${role} host, and iperf3 cannot count transactions; install the package ${iperf2.package}.`,
    );
  const can = iperf2Can(text);
  const has = `The ${role} host has iperf ${can.version ?? 'of unknown version'}`;
  if (!can.bounceback)
    return ended('tool-too-old', `${has}; counting transactions needs ${BOUNCEBACK_SINCE} or newer.`);
  if (requestBytes !== replyBytes && !can.replySize)
    return ended(
      'tool-too-old',
      `${has}, whose replies are as large as the requests; replyBytes ${replyBytes} beside requestBytes ${requestBytes} needs ${REPLY_SIZE_SINCE} or newer.`,
    );
  return undefined;
}

const seriesTimeoutMs = (durationS: number): number => durationS * 1000 + MARGIN_MS;
const loadS = (spec: TransactionsSpec): number => LOAD_LEAD_S + spec.durationS + LOAD_AFTER_S;

/** The longest that the attempt may take, all phases and margins included. */
export const longestDurationMs = (spec: TransactionsSpec): number =>
  BASELINE_TIMEOUT_MS +
  seriesTimeoutMs(spec.durationS) +
  (spec.omitS ? seriesTimeoutMs(spec.omitS) : 0) +
  (spec.underLoad ? seriesTimeoutMs(IDLE_S) + LOAD_LEAD_S * 1000 + LOAD_GRACE_MS : 0) +
  5_000;

/** A ping baseline, what is not counted, then the transactions; under load some without it first, and the load beside the rest. */
export function near(spec: TransactionsSpec, host: ProbeHost, input: NearInput): readonly Phase[] {
  const { port, loadPort = port } = Peer.parse(input.peer);
  const ends = { address: input.address, peerAddress: input.peerAddress, port };
  const baseline = baselinePhase(host, input);
  const test: Phase = {
    name: 'test',
    tool: 'iperf2',
    argv: bouncebackArgv(spec, spec.durationS, ends),
    timeoutMs: seriesTimeoutMs(spec.durationS),
  };
  return [
    ...(baseline ? [baseline] : []),
    ...omitted(spec, ends),
    ...(spec.underLoad ? underLoad(spec, ends, loadPort) : []),
    test,
  ];
}

function omitted(spec: TransactionsSpec, ends: Iperf2Ends): readonly Phase[] {
  const { omitS = 0 } = spec;
  if (omitS === 0) return [];
  const argv = bouncebackArgv(spec, omitS, ends);
  return [{ name: 'omitted', tool: 'iperf2', argv, timeoutMs: seriesTimeoutMs(omitS), optional: true }];
}

function underLoad(spec: TransactionsSpec, ends: Iperf2Ends, loadPort: number): readonly Phase[] {
  return [
    {
      name: 'idle',
      tool: 'iperf2',
      argv: bouncebackArgv(spec, IDLE_S, ends),
      timeoutMs: seriesTimeoutMs(IDLE_S),
      optional: true,
    },
    {
      name: 'load',
      tool: 'iperf2',
      argv: loadArgv(loadS(spec), { ...ends, port: loadPort }),
      timeoutMs: loadS(spec) * 1000 + MARGIN_MS + LOAD_GRACE_MS,
      beside: { leadMs: LOAD_LEAD_S * 1000, graceMs: LOAD_GRACE_MS },
      // Of the load alone: to read sockets takes CPU time, which transactions would be delayed by.
      sockets: { peerPort: loadPort, peerAddress: ends.peerAddress },
      // Its absence is no failure of the tool but of the measurement, and that is the reader's to say.
      optional: true,
    },
  ];
}

/** Those that are not counted; under load some without it; and then those that count: on connections of their own. */
const connectionsOf = ({ omitS = 0, underLoad }: TransactionsSpec): number =>
  1 + (omitS > 0 ? 1 : 0) + (underLoad ? 1 : 0);
/** The load has a server of its own, so that its count is its own. */
export const morePorts = ({ underLoad }: TransactionsSpec): number => (underLoad ? 1 : 0);

/** iperf 2 has no credentials that stay out of argv: its servers are bound to the endpoint and end with their clients. */
export function far(spec: TransactionsSpec, host: ProbeHost, input: FarInput) {
  const { address, port } = input;
  const serverOf = (name: string, at: number, connections: number): Server => ({
    name,
    tool: 'iperf2',
    argv: serverArgv(address, at, connections),
    timeoutMs: longestDurationMs(spec),
    listensOn: { protocol: 'tcp', port: at },
  });
  const [loadPort] = input.morePorts.slice(0, morePorts(spec));
  const load = loadPort === undefined ? [] : [serverOf('load-server', loadPort, 1)];
  const peer: Peer = { port, loadPort, version: iperf2Can(iperf2Text(host) ?? '').version };
  return { servers: [serverOf('server', port, connectionsOf(spec)), ...load] as const, peer };
}

/** Whether a socket is the load's: it goes to its server's port. There is no control connection. */
export function isLoadSocket(sample: SocketSample, phases: readonly PhaseOutput[]): boolean {
  const argv = phases.find((phase) => phase.end === 'near' && phase.name === 'load')?.argv ?? [];
  const at = argv.indexOf('-p');
  return at >= 0 && String(sample.end === 'near' ? sample.peerPort : sample.localPort) === argv[at + 1];
}
