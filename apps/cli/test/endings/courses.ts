import type { Draws } from '../seed.js';

/** A test of about two seconds, and the program by which it measures. */
export interface Course {
  readonly test: Readonly<Record<string, unknown>>;
  /** The program's name. */
  readonly program: string;
  /** Whether the other end has a server of it. */
  readonly served: boolean;
  /** About how long the program runs. */
  readonly runsMs: number;
}

const RATE_BPS = 50_000_000;
const iperf3 = { program: 'iperf3', served: true, runsMs: 2_000 };
const ping = { program: 'ping', served: false };
const hping3 = { program: 'hping3', served: false };

/** Of every way to measure one, or two: no load to speak of, and long enough to be hit on a busy machine. */
const COURSES: readonly Course[] = [
  { ...iperf3, test: { kind: 'single-stream', durationS: 2, rateBps: RATE_BPS } },
  { ...iperf3, test: { kind: 'single-stream', durationS: 2, rateBps: RATE_BPS, direction: 'simultaneous' } },
  { ...iperf3, test: { kind: 'single-stream', durationS: 2, rateBps: RATE_BPS, capture: true } },
  { ...iperf3, test: { kind: 'parallel', durationS: 2, streams: 2, windowBytes: 16_384 } },
  { ...iperf3, test: { kind: 'congestion-control-matrix', durationS: 2, algorithms: ['cubic', 'reno'] } },
  { ...iperf3, test: { kind: 'window-sweep', durationS: 2, windowsBytes: [16_384] } },
  { ...iperf3, test: { kind: 'udp-step-up', stepDurationS: 2, startRateBps: 5_000_000, maxRateBps: 5_000_000 } },
  {
    test: { kind: 'single-stream', durationS: 2, rateBps: RATE_BPS, tool: 'nuttcp' },
    ...{ program: 'nuttcp', served: true, runsMs: 2_000 },
  },
  { test: { kind: 'bounceback', durationS: 2 }, program: 'iperf', served: true, runsMs: 2_000 },
  { test: { kind: 'bounceback', durationS: 2, underLoad: true }, program: 'iperf', served: true, runsMs: 2_000 },
  { ...ping, test: { kind: 'rtt', count: 40, intervalS: 0.05 }, runsMs: 2_000 },
  { ...hping3, test: { kind: 'rtt', method: 'tcp-syn', count: 40, intervalS: 0.05 }, runsMs: 2_000 },
  { ...hping3, test: { kind: 'reachability', port: 9, count: 20, intervalS: 0.1 }, runsMs: 2_000 },
  { test: { kind: 'trace', cycles: 10 }, program: 'mtr', served: false, runsMs: 2_000 },
  { test: { kind: 'trace', cycles: 10, flows: 3, method: 'udp' }, program: 'mtr', served: false, runsMs: 2_000 },
  { ...ping, test: { kind: 'path-mtu', direction: 'forward' }, runsMs: 200 },
  {
    test: { kind: 'hop-characterization', sizes: 8, repetitions: 16 },
    ...{ program: 'pchar', served: false, runsMs: 2_000 },
  },
];
/** These have a `direction` already, or only one. */
const ONE_WAY = ['rtt', 'path-mtu'];

/** Draws one, half of them in reverse. */
export function drawCourse(draws: Draws, { served }: { served: boolean }): Course {
  const [course = COURSES[0]] = draws.shuffled(COURSES.filter((one) => !served || one.served));
  if (!course) throw new Error('there are no courses');
  const { kind, direction } = course.test;
  if (direction !== undefined || ONE_WAY.includes(String(kind)) || draws.share() < 0.5) return course;
  return { ...course, test: { ...course.test, direction: 'reverse' } };
}

/** How a course is called in what the test prints. */
export const nameOf = ({ test: { kind, method, tool, underLoad, direction } }: Course): string =>
  [kind, method, tool, underLoad && 'under load', direction].filter(Boolean).join(' ');

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** What a command line of that program is: the measuring client, its server, or something else (a question for its version). */
export function roleOf(words: readonly string[], program: string): 'client' | 'server' | undefined {
  if (baseName(words[0] ?? '') !== program || words.length < 4) return undefined;
  const serves = program === 'nuttcp' ? words.includes('-1') : program.startsWith('iperf') && words.includes('-s');
  return serves ? 'server' : 'client';
}
