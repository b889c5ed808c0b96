import fc from 'fast-check';
import { type Blow, blow, cutOff, struck } from './damage.js';
import { at, SEEN, type Seen, type Subject } from './subject.js';

export interface FuzzOptions {
  readonly inputs: number;
  /** The same seed gives the same inputs. */
  readonly seed: number;
}
interface Damage {
  readonly recording: number;
  readonly other: number;
  readonly blows: readonly (Blow & { readonly text: number })[];
  readonly seen: Seen;
}

const nat = fc.nat({ max: 9_999 });
const hit = (arbitrary: fc.Arbitrary<Blow>) => fc.tuple(nat, arbitrary).map(([text, one]) => ({ ...one, text }));
const damage = (blows: fc.Arbitrary<Blow>, seen: fc.Arbitrary<Seen>): fc.Arbitrary<Damage> =>
  fc.record({ recording: nat, other: nat, blows: fc.array(hit(blows), { minLength: 1, maxLength: 4 }), seen });
const anything = damage(
  blow,
  fc.oneof({ weight: 3, arbitrary: fc.constant<Seen>('as-recorded') }, fc.constantFrom<Seen>(...SEEN)),
);
const onlyCut = damage(cutOff, fc.constant('as-recorded'));

/**
 * Damaged recordings into one subject. @throws {Error} with the smallest damage after which something is wrong: the reader
 * threw, gave a number that is none, or called a failure a success
 */
export function fuzz(subject: Subject, { inputs, seed }: FuzzOptions): void {
  fc.assert(
    fc.property(anything, (one) => none(subject.problems(one.recording, textsAfter(subject, one), one.seen))),
    { numRuns: inputs, seed },
  );
}

/** A recording of a failure stays one, wherever its texts are cut off. @throws {Error} with the smallest cut after which it does not */
export function fuzzFailures(subject: Subject, { inputs, seed }: FuzzOptions): void {
  const { fails } = subject;
  if (!fails) return;
  const failed = subject.recordings.flatMap(({ texts }, i) => (fails(i, texts) ? [i] : []));
  if (failed.length === 0) return;
  fc.assert(
    fc.property(onlyCut, (cut) => {
      const one = { ...cut, recording: at(failed, cut.recording) };
      return none(fails(one.recording, textsAfter(subject, one)) ? [] : ['a failure that was cut off is a success']);
    }),
    { numRuns: inputs, seed },
  );
}

function textsAfter({ recordings }: Subject, { recording, other, blows }: Damage): string[] {
  const texts = [...at(recordings, recording).texts];
  for (const one of blows) {
    const i = one.text % texts.length;
    const another = at(recordings, other).texts;
    texts[i] = struck(texts[i] ?? '', one, another[i % another.length] ?? '');
  }
  return texts;
}

function none(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('; '));
}

/** Whether the recordings themselves are read as they should be: damage to what is unsound proves nothing. */
export const problemsAsRecorded = (subject: Subject): string[] =>
  subject.recordings.flatMap(({ name, texts }, i) =>
    subject.problems(i, texts, 'as-recorded').map((problem) => `${name}: ${problem}`),
  );
