import { type End, type Ending, ended } from '@plumbline/model';
import { z } from 'zod';
import type { FarInput, NearInput, Phase, ProbeHost, Server } from '../../ability.js';
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

export const Peer = z.object({ port: z.int().min(1).max(65535), version: z.string().optional() });
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
  (spec.underLoad ? seriesTimeoutMs(IDLE_S) + LOAD_LEAD_S * 1000 + LOAD_GRACE_MS : 0) +
  5_000;

/** A ping baseline, then the transactions; under load some without it first, and the load beside the rest. */
export function near(spec: TransactionsSpec, host: ProbeHost, input: NearInput): readonly Phase[] {
  const { port } = Peer.parse(input.peer);
  const ends = { address: input.address, peerAddress: input.peerAddress, port };
  const baseline = baselinePhase(host, input);
  const test: Phase = {
    name: 'test',
    tool: 'iperf2',
    argv: bouncebackArgv(spec, spec.durationS, ends),
    timeoutMs: seriesTimeoutMs(spec.durationS),
    sockets: { peerPort: port, peerAddress: input.peerAddress },
  };
  return [...(baseline ? [baseline] : []), ...(spec.underLoad ? underLoad(spec, ends) : []), test];
}

function underLoad(spec: TransactionsSpec, ends: Iperf2Ends): readonly Phase[] {
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
      argv: loadArgv(loadS(spec), ends),
      timeoutMs: loadS(spec) * 1000 + MARGIN_MS + LOAD_GRACE_MS,
      beside: { leadMs: LOAD_LEAD_S * 1000, graceMs: LOAD_GRACE_MS },
      // Its absence is no failure of the tool but of the measurement, and that is the reader's to say.
      optional: true,
    },
  ];
}

/** iperf 2 has no credentials that stay out of argv: its server is bound to the endpoint and lives as long as the attempt. */
export function far(spec: TransactionsSpec, host: ProbeHost, input: FarInput): { servers: [Server]; peer: Peer } {
  const server: Server = {
    name: 'server',
    tool: 'iperf2',
    argv: serverArgv(input.address, input.port),
    timeoutMs: longestDurationMs(spec),
    listensOn: { protocol: 'tcp', port: input.port },
    sockets: { localPort: input.port, peerAddress: input.peerAddress },
  };
  return { servers: [server], peer: { port: input.port, version: iperf2Can(iperf2Text(host) ?? '').version } };
}
