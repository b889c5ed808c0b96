import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TraceSpec } from '../../measurements/trace/index.js';
import { expectSound, mutated, outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { traceByTracepath } from './index.js';
import { readTracepath } from './trace.js';

const recording: Recording = JSON.parse(
  readFileSync(new URL('./fixtures/20221126-four-hops.json', import.meta.url), 'utf8'),
);
const spec = TraceSpec.parse({ method: 'udp' });

describe('a trace by tracepath', () => {
  test('who answered and when; of loss it can say nothing', () => {
    const r = readTracepath(spec, outputOf(recording));
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'hops')).toBe(4);
    expect(valueIn(r, 'hop.rtt.min', { hop: '1' })).toBeGreaterThan(0);
    expect([valueIn(r, 'loss'), valueIn(r, 'hop.loss', { hop: '4' })]).toEqual(['tool-cannot-say', 'tool-cannot-say']);
    expectSound(r);
  });

  test.each([
    ['', '', 'output-empty'],
    ['what?', '', 'output-unreadable'],
    ['', 'tracepath: 192.0.2.9: Network is unreachable', 'no-route'],
    [' 1:  192.0.2.2  4.6ms \n', '', 'interrupted'],
  ])('output %j %j: %s', (stdout, stderr, reason) => {
    const r = readTracepath(spec, outputOf(withText(recording, 'tracepath', { stdout, stderr })));
    expect(r.ending).toMatchObject({ reason });
    expectSound(r);
  });

  test('whatever is read', () => {
    fc.assert(
      fc.property(mutated(recording.phases[0]?.stdout ?? ''), (stdout) => {
        expectSound(readTracepath(spec, outputOf(withText(recording, 'tracepath', { stdout }))));
      }),
    );
  });

  test('is refused for other methods, and without the program', () => {
    const refusal = (raw: object, tools = {}) =>
      traceByTracepath.prepare(raw).refuses('near', { tools, congestionControls: [] });
    expect(refusal({ method: 'icmp' }, { tracepath: 'tracepath from iputils 20221126' })).toMatchObject({
      reason: 'parameter-unsupported',
    });
    expect(refusal({ method: 'udp' })).toMatchObject({ reason: 'tool-missing' });
  });
});
