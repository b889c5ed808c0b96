import {
  type Ability,
  type BesidePhase,
  defineAbility,
  defineMeasurement,
  type FarInput,
  type FarSide,
  type NearInput,
  type Phase,
  type Server,
  type Sharing,
} from '@plumbline/measure';
import { z } from 'zod';

/** What a scripted program does: prints, sleeps, ends. */
const ScriptedPhase = z.strictObject({
  name: z.string(),
  stdout: z.string().default(''),
  stderr: z.string().default(''),
  sleepMs: z.int().default(0),
  exitCode: z.int().default(0),
  ignoresTerm: z.boolean().default(false),
  optional: z.boolean().default(false),
  timeoutMs: z.int().default(30_000),
  /** Prints this many bytes more, all zero. */
  floodBytes: z.int().default(0),
  /** A temporary file that the program prints after stdout. */
  file: z.string().optional(),
  /** What the program writes as its capture. */
  capture: z.string().optional(),
  beside: z.strictObject({ leadMs: z.int(), graceMs: z.int(), readyText: z.string().optional() }).optional(),
});
type ScriptedPhase = z.output<typeof ScriptedPhase>;
export const ScriptedSpec = z.strictObject({
  phases: z.array(ScriptedPhase),
  maxStreams: z.int().default(1),
  longestMs: z.int().default(60_000),
  /** The far side's server does not begin to listen. */
  deaf: z.boolean().default(false),
  servers: z.int().min(1).default(1),
  /** Run beside the servers. */
  companions: z.array(ScriptedPhase).default([]),
  needsTool: z.string().optional(),
});
export type ScriptedSpec = z.output<typeof ScriptedSpec>;

const measurement = (kind: string, sharing: Sharing) =>
  defineMeasurement({
    kind,
    schemaVersion: 1,
    spec: ScriptedSpec,
    metrics: [],
    sharing,
    standingGrant: sharing !== 'exclusive',
    ceilings: (spec) => ({ maxRateBps: null, maxStreams: spec.maxStreams, maxDurationS: spec.longestMs / 1000 }),
  });

const SCRIPT = [
  'if [ "$TERM_IGNORED" = true ]; then trap "" TERM; fi',
  'if [ -n "$2" ]; then printf %s "$CAPTURED" > "$2"; fi',
  'printf %s "$OUT"; if [ -n "$1" ]; then cat "$1"; fi; printf %s "$ERR" >&2',
  'head -c "$FLOOD" /dev/zero; sleep "$SLEEP"; exit "$CODE"',
].join('\n');

const near = (spec: ScriptedSpec, _host: unknown, input: NearInput): Phase[] =>
  spec.phases.map((phase) => program(phase, input.peerAddress));

function program(phase: ScriptedPhase, peerAddress: string): Phase {
  const file = phase.file === undefined ? [] : ['{file:input}'];
  const capture = phase.capture === undefined ? [] : [...(file.length === 0 ? [''] : []), '{capture}'];
  return {
    name: phase.name,
    tool: 'sh',
    argv: ['sh', '-c', SCRIPT, peerAddress, ...file, ...capture],
    env: {
      OUT: phase.stdout,
      ERR: phase.stderr,
      SLEEP: String(phase.sleepMs / 1000),
      CODE: String(phase.exitCode),
      FLOOD: String(phase.floodBytes),
      TERM_IGNORED: String(phase.ignoresTerm),
      CAPTURED: phase.capture ?? '',
    },
    ...(phase.file === undefined ? {} : { files: { input: phase.file } }),
    timeoutMs: phase.timeoutMs,
    optional: phase.optional,
    capture: phase.capture !== undefined,
    ...(phase.beside ? { beside: phase.beside } : {}),
  };
}

const shared = {
  tool: 'sh',
  refuses: () => undefined,
  near,
  read: () => ({ ending: { outcome: 'completed' as const }, metrics: [], result: null, notes: [] }),
  longestDurationMs: (spec: ScriptedSpec) => spec.longestMs,
};

/** Listens, takes one client, ends with it. */
const SERVER = `const server = require('node:net').createServer((socket) => { server.close(); socket.on('error', () => {}); socket.resume(); });
if (process.env.DEAF !== 'true') server.listen(Number(process.env.PORT), process.env.ADDRESS); else setInterval(() => {}, 1000);`;

function far(spec: ScriptedSpec, _host: unknown, input: FarInput): FarSide {
  const ports = [input.port, ...input.morePorts];
  const server = (port: number, i: number): Server => ({
    name: i === 0 ? 'server' : `server-${i + 1}`,
    tool: 'node',
    argv: [process.execPath, '-e', SERVER],
    env: { PORT: String(port), ADDRESS: input.address, DEAF: String(spec.deaf) },
    timeoutMs: 60_000,
    listensOn: { protocol: 'tcp', port },
  });
  const [, ...more] = ports;
  return {
    servers: [server(input.port, 0), ...more.map((port, i) => server(port, i + 1))],
    companions: spec.companions.map((phase): BesidePhase => {
      const beside = phase.beside ?? { leadMs: 0, graceMs: 0 };
      return { ...program(phase, input.peerAddress), beside };
    }),
    peer: { port: input.port, ports, user: input.credentials.user },
  };
}

/** Measurements that do what their spec says, on the real probe by real programs and on the fake in memory. */
export const scriptedAbilities: readonly Ability[] = [
  defineAbility(measurement('scripted', 'exclusive'), {
    ...shared,
    refuses: (spec, _role, host) =>
      spec.needsTool !== undefined && host.tools[spec.needsTool] === undefined
        ? { outcome: 'refused', reason: 'tool-missing', detail: `${spec.needsTool} is missing.` }
        : undefined,
  }),
  defineAbility(measurement('scripted-light', 'shared'), shared),
  defineAbility(measurement('scripted-background', 'background'), shared),
  defineAbility(measurement('scripted-served', 'exclusive'), {
    ...shared,
    far,
    morePorts: (spec) => spec.servers - 1,
  }),
];
