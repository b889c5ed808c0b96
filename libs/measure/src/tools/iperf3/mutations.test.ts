import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PhaseOutput, Reading } from '../../ability.js';
import { ThroughputSpec } from '../../measurements/throughput/index.js';
import { findObjects, parseObject } from './json.js';
import { read } from './read.js';

type Recording = { near: Omit<PhaseOutput, 'end' | 'name' | 'tool'> };
const folder = new URL('./fixtures/', import.meta.url);
const recordings = readdirSync(folder).map((file) => {
  const { near }: Recording = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  return { file, near };
});

/** The spec that a recording was made with, so that its document is an answer to it. */
function specOf(argv: readonly string[]): ThroughputSpec {
  const option = (flag: string) => Number(argv[argv.indexOf(flag) + 1]);
  return ThroughputSpec.parse({
    direction: argv.includes('--bidir') ? 'simultaneous' : argv.includes('-R') ? 'reverse' : 'forward',
    durationS: option('-t'),
    omitS: argv.includes('-O') ? option('-O') : 0,
    streams: argv.includes('-P') ? option('-P') : 1,
  });
}

function readingOf({ near }: Recording, stdout: string): Reading {
  const phases: PhaseOutput[] = [{ end: 'near', name: 'test', tool: 'iperf3', ...near, stdout }];
  return read(specOf(near.argv), { phases, samples: [], snapshots: {}, ending: { outcome: 'completed' } });
}
/** Judged without the reader. */
const isBad = ({ near }: Recording): boolean =>
  near.exitCode !== 0 || near.stdout.includes('"error"') || near.stdout.trim() === '';

/** What must hold of every reading, whatever was read. */
function expectSound(reading: Reading): void {
  for (const { value, reason } of reading.metrics) {
    if (value === null) expect(reason).toBeDefined();
    else expect(Number.isFinite(value)).toBe(true);
  }
  expect(reading.metrics.filter(({ labels }) => labels?.stream === undefined).length).toBeGreaterThanOrEqual(15);
  const throughput = reading.metrics.find(({ name }) => name === 'throughput');
  if (reading.ending.outcome === 'completed') expect(throughput?.value).toBeGreaterThanOrEqual(0);
  else if (reading.ending.outcome !== 'partial')
    expect(reading.metrics.every(({ value, reason }) => value === null && reason === 'attempt-failed')).toBe(true);
}

const good = recordings.filter((recording) => !isBad(recording));
const bad = recordings.filter(isBad);

/** Evenly spread, as fc.double is not. */
const share = fc.nat({ max: 999_999 }).map((n) => n / 1e6);
/** One byte range cut out, one character changed, or the end cut off. */
const mutation = fc.record({
  kind: fc.constantFrom('cut', 'change', 'truncate'),
  at: share,
  length: fc.integer({ min: 1, max: 40 }),
  character: fc.constantFrom('0', '9', '-', '"', '{', '}', ',', 'x', '\n', 'e'),
});
type Mutation = { kind: string; at: number; length: number; character: string };
function mutate(text: string, { kind, at, length, character }: Mutation): string {
  const place = Math.floor(at * text.length);
  if (kind === 'truncate') return text.slice(0, place);
  if (kind === 'cut') return text.slice(0, place) + text.slice(place + length);
  return text.slice(0, place) + character + text.slice(place + 1);
}

describe('mutated recordings', () => {
  test('there are good and bad ones', () => {
    expect([good.length, bad.length].every((n) => n >= 8)).toBe(true);
  });

  test('never throw, never give NaN or Infinity, and a failure has no numbers', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...recordings),
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        (recording, list) => {
          expectSound(readingOf(recording, list.reduce(mutate, recording.near.stdout)));
        },
      ),
      { numRuns: 800 },
    );
  });

  // Not the one that has both a whole stream and, after it, a document.
  const whole = good.filter(({ file }) => !file.includes('stream-full'));
  test('a good one that is cut anywhere before its last brace is not a success', () => {
    fc.assert(
      fc.property(fc.constantFrom(...whole), share, (recording, at) => {
        const { stdout } = recording.near;
        const end = stdout.lastIndexOf('}');
        expect(readingOf(recording, stdout.slice(0, Math.floor(at * end))).ending.outcome).not.toBe('completed');
      }),
      { numRuns: 300 },
    );
  });

  test('a failed one with keys dropped or values swapped never becomes a success', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bad), fc.integer(), fc.anything(), (recording, seed, junk) => {
        const stdout = findObjects(recording.near.stdout)
          .objects.map((text) => JSON.stringify(tamper(parseObject(text)?.value, seed, junk)))
          .join('\n');
        const reading = readingOf(recording, stdout);
        expectSound(reading);
        expect(reading.ending.outcome).not.toBe('completed');
      }),
      { numRuns: 500 },
    );
  });

  test('a good one with values swapped is sound still', () => {
    fc.assert(
      fc.property(fc.constantFrom(...good), fc.integer(), fc.anything(), (recording, seed, junk) => {
        const texts = findObjects(recording.near.stdout).objects;
        const stdout = texts.map((text) => JSON.stringify(tamper(parseObject(text)?.value, seed, junk))).join('\n');
        expectSound(readingOf(recording, stdout));
      }),
      { numRuns: 500 },
    );
  });
});

/** Drops one key, or gives it another value; never the error, nor the event that says there is one. */
function tamper(value: unknown, seed: number, junk: unknown): unknown {
  const places = placesIn(value).filter(({ key }) => key !== 'error' && key !== 'event' && key !== 'data');
  const place = places[Math.abs(seed) % Math.max(1, places.length)];
  if (!place) return value;
  if (seed % 2 === 0) delete place.parent[place.key];
  else place.parent[place.key] = junk;
  return value;
}
function placesIn(value: unknown): { parent: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const parent: Record<string, unknown> = Object.assign(value);
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesIn(parent[key])]);
}

test('any text at all gives a typed outcome', () => {
  const anyText = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.json({ maxDepth: 4 }),
    fc.array(fc.json({ maxDepth: 2 }), { maxLength: 4 }).map((list) => list.join('\n')),
    fc.anything().map((junk) => JSON.stringify({ start: junk, intervals: junk, end: junk }) ?? ''),
  );
  const [recording] = good;
  if (!recording) throw new Error('no recording');
  fc.assert(
    fc.property(anyText, (stdout) => {
      const reading = readingOf(recording, stdout);
      expectSound(reading);
      expect(reading.ending.outcome).not.toBe('completed');
    }),
    { numRuns: 500 },
  );
});
