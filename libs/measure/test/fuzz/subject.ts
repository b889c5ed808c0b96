import { type End, type Ending, ended, type SocketSample } from '@plumbline/model';
import type { Ability, PhaseOutput } from '../../src/ability.js';
import type { MetricFact } from '../../src/metric-fact.js';
import type { Recording } from '../../src/test-support/reading.js';
import { parseSs } from '../../src/tools/ss/parse.js';
import { problemsOf } from './soundness.js';

/** How the probes may say that an attempt ended, besides what its programs' exit codes say. */
export const SEEN = [
  'as-recorded',
  'tool-failed',
  'tool-killed',
  'deadline-exceeded',
  'cancelled-by-user',
  'probe-lost',
  'interrupted',
] as const;
export type Seen = (typeof SEEN)[number];

/** Something that reads what programs printed. */
export interface Subject {
  readonly name: string;
  /** The texts of each recording. */
  readonly recordings: readonly { readonly name: string; readonly texts: readonly string[] }[];
  /** Reads the texts in place of those of that recording. @returns what is wrong with what came out; empty: nothing */
  problems(recording: number, texts: readonly string[], seen: Seen): string[];
  /** Whether the recording, as it is, is of a measurement that failed. Absent: it has no endings. */
  fails?(recording: number, texts: readonly string[]): boolean;
}

export interface AbilityFacts {
  readonly ability: Ability;
  readonly metrics: readonly MetricFact[];
  /** Has a value in every reading that completed; undefined: none need have, the result is a verdict. */
  readonly headline: string | undefined;
  readonly recordings: ReadonlyMap<string, Recording>;
  readonly specOf: (recording: Recording) => object;
  /** Phases whose failure is the attempt's; the others are optional. */
  readonly mandatory: readonly string[];
  /** The program also ends with 1 where it has an answer: nobody replied. */
  readonly oneIsAnAnswer?: boolean;
  /** What ss printed of the test's sockets at an end, made from the recording. */
  readonly sockets?: (recording: Recording, end: End) => string;
}

/** An ability as the control plane uses it: spec, programs' texts and endings in, a reading out. */
export function abilitySubject(facts: AbilityFacts): Subject {
  const { ability, metrics, headline, recordings, specOf, sockets } = facts;
  const list = [...recordings].map(([name, recording]) => {
    const printed = recording.phases.flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const seenBySs = sockets ? [sockets(recording, 'near'), sockets(recording, 'far')] : [];
    return { name, recording, texts: [...printed, ...seenBySs], prepared: ability.prepare(specOf(recording)) };
  });
  const readingOf = (index: number, texts: readonly string[], seen: Seen) => {
    const { recording, prepared } = at(list, index);
    const { phases, ending } = endedAs(seen, phasesWith(recording, texts), facts);
    const ss = texts.slice(2 * phases.length);
    const samples = ss.flatMap((text, i) => samplesOf(text, i === 0 ? 'near' : 'far'));
    return { seen: ending, phases, reading: prepared.read({ phases, samples, snapshots: {}, ending }) };
  };
  return {
    name: `${ability.measures}/${ability.tool}`,
    recordings: list,
    fails: (index, texts) => readingOf(index, texts, 'as-recorded').reading.ending.outcome !== 'completed',
    problems(index, texts, how) {
      const { seen, phases, reading } = readingOf(index, texts, how);
      const problems = problemsOf(reading, metrics, headline);
      if (reading.ending.outcome === 'completed' && !mayComplete(seen, phases, facts))
        problems.push(`a success, though the probe says ${JSON.stringify(seen)}`);
      return problems;
    },
  };
}

/** A function over texts, whose result must only be sound. */
export const parserSubject = (
  name: string,
  recordings: readonly (readonly string[])[],
  problems: (texts: readonly string[]) => string[],
): Subject => ({
  name,
  recordings: recordings.map((texts, i) => ({ name: String(i), texts })),
  problems: (_index, texts) => problems(texts),
});

const phasesWith = ({ phases }: Recording, texts: readonly string[]): PhaseOutput[] =>
  phases.map((phase, i) => ({ ...phase, stdout: texts[2 * i] ?? '', stderr: texts[2 * i + 1] ?? '' }));

/** The same socket three times, so that counters grow and the omitted part is passed. */
const samplesOf = (text: string, end: End): SocketSample[] =>
  [250, 1_250, 2_250].flatMap((elapsedMs) => parseSs(text, end, elapsedMs).samples);

function endedAs(
  seen: Seen,
  phases: PhaseOutput[],
  { mandatory }: AbilityFacts,
): { phases: PhaseOutput[]; ending: Ending } {
  const isTest = ({ end, name }: PhaseOutput): boolean => end === 'near' && mandatory.includes(name);
  if (seen === 'as-recorded') {
    const failed = phases.find((phase) => isTest(phase) && phase.exitCode !== 0);
    if (!failed) return { phases, ending: { outcome: 'completed' } };
    return { phases, ending: ended(failed.exitCode === null ? 'tool-killed' : 'tool-failed') };
  }
  const how = seen === 'tool-failed' ? { exitCode: 1 } : { exitCode: null, signal: 'SIGKILL' };
  return { phases: phases.map((phase) => (isTest(phase) ? { ...phase, ...how } : phase)), ending: ended(seen) };
}

/** A probe that says so itself, or a program that failed, is never overruled by what the program printed. */
function mayComplete(
  seen: Ending,
  phases: readonly PhaseOutput[],
  { mandatory, oneIsAnAnswer }: AbilityFacts,
): boolean {
  if (seen.outcome === 'completed') return true;
  if (seen.reason !== 'tool-failed') return false;
  const failed = phases.filter(
    ({ end, name, exitCode }) => end === 'near' && mandatory.includes(name) && exitCode !== 0,
  );
  return mandatory.length === 0 || (oneIsAnAnswer === true && failed.every(({ exitCode }) => exitCode === 1));
}

export function at<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new RangeError('an empty list');
  return found;
}
