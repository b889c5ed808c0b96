import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TraceSpec } from '../../measurements/trace/index.js';
import { expectSound, mutated, outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { traceByHping3 } from './index.js';
import { readSynTrace } from './trace.js';

const recording = (name: string): Recording =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8'));
const spec = TraceSpec.parse({ method: 'tcp-syn', port: 81, maxHops: 10 });
const completed = { ending: { outcome: 'completed' as const } };

describe('a trace by hping3', () => {
  test('walks with SYNs, as far as the port', () => {
    const r = readSynTrace(spec, outputOf(recording('trace'), completed));
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'hops')).toBe(4);
    expect(r.notes[0]).toMatch(/^1 10\.9\.1\.2, 2 10\.9\.[23]\.2, 3 10\.9\.4\.2, 4 10\.9\.6\.2$/);
    expect(valueIn(r, 'hop.rtt.min', { hop: '2' })).toBeGreaterThan(0);
    expect(valueIn(r, 'loss')).toBe('tool-cannot-say');
    expectSound(r);
  });

  test('says where it had to stop', () => {
    const r = readSynTrace(spec, outputOf(recording('trace-silent'), completed));
    expect(valueIn(r, 'hops')).toBe('no-reply');
    expect(r.notes.join()).toContain('hop 2 is silent');
    expectSound(r);
  });

  test('is refused for other methods', () => {
    const host = { tools: { hping3: 'hping3 version 3.0.0-alpha-2' }, congestionControls: [], root: true };
    expect(traceByHping3.prepare({ method: 'icmp' }).refuses('near', host)).toMatchObject({
      reason: 'parameter-unsupported',
    });
    expect(traceByHping3.prepare({ method: 'tcp-syn' }).refuses('near', host)).toBeUndefined();
  });

  test('whatever is read', () => {
    const original = recording('trace');
    const { stdout = '', stderr = '' } = original.phases[0] ?? {};
    fc.assert(
      fc.property(mutated(stdout), mutated(stderr), (out, err) => {
        expectSound(readSynTrace(spec, outputOf(withText(original, 'trace', { stdout: out, stderr: err }), completed)));
      }),
    );
  });
});
