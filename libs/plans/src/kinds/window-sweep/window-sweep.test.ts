import { missing } from '@plumbline/model';
import { describe, expect, it } from 'vitest';
import { completed, failed, only, somePath, stored, value } from '../../test-support/attempts.js';
import { windowSweep } from './index.js';

const plansOf = (test: object) => windowSweep.attempts(stored(windowSweep, test), somePath());
const windowsBytes = [16_384, 65_536];

describe('window-sweep', () => {
  it('measures each window, labelled by it', () => {
    const plans = plansOf({ windowsBytes, congestionControl: 'cubic', repeats: 2 });
    expect(plans.map(({ cell, spec }) => ({ cell, spec }))).toMatchObject(
      [...windowsBytes, ...windowsBytes].map((bytes) => ({
        cell: { windowBytes: String(bytes) },
        spec: { windowBytes: bytes, congestionControl: 'cubic', streams: 1 },
      })),
    );
  });

  it('puts window / RTT beside each throughput: vector 26, the 16K row', () => {
    const [small, large] = plansOf({ windowsBytes });
    const seen = (rttMs: number, window: number, bps: number) => [
      value('throughput', 'bit/s', bps),
      value('window.max', 'B', window),
      value('rtt.mean', 'ms', rttMs),
    ];
    const results = [completed(small!, seen(46.2, 20_272, 3.41e6)), completed(large!, seen(46.6, 86_446, 13.3e6))];
    const metrics = windowSweep.summarise(stored(windowSweep, { windowsBytes }), results);
    const ceiling = only(metrics, 'window-ceiling', { windowBytes: '16384' });
    expect(ceiling).toMatchObject({ unit: 'bit/s', spread: { count: 1 } });
    expect((ceiling.value ?? 0) / 3.5103e6).toBeCloseTo(1, 4);
    expect((only(metrics, 'window-ceiling', { windowBytes: '65536' }).value ?? 0) / 14.8405e6).toBeCloseTo(1, 4);
    expect(only(metrics, 'throughput', { windowBytes: '16384' }).value).toBe(3.41e6);
  });

  it('says why there is no window / RTT', () => {
    const [small, large] = plansOf({ windowsBytes });
    const results = [
      completed(small!, [missing('window.max', 'B', 'counter-not-available'), value('rtt.mean', 'ms', 40)]),
      failed(large!, 'socket-buffer-refused'),
    ];
    const metrics = windowSweep.summarise(stored(windowSweep, { windowsBytes }), results);
    expect(only(metrics, 'window-ceiling', { windowBytes: '16384' }).reason).toBe('counter-not-available');
    expect(only(metrics, 'window-ceiling', { windowBytes: '65536' })).toMatchObject({
      value: null,
      reason: 'attempt-failed',
    });
  });

  it('never divides by a round trip of nothing', () => {
    const [small] = plansOf({ windowsBytes: [16_384] });
    const results = [completed(small!, [value('window.max', 'B', 1), value('rtt.mean', 'ms', 0)])];
    const metrics = windowSweep.summarise(stored(windowSweep, { windowsBytes: [16_384] }), results);
    expect(only(metrics, 'window-ceiling', { windowBytes: '16384' }).reason).toBe('denominator-zero');
  });

  it.each([{ windowsBytes: [] }, { windowsBytes: [16_384, 16_384] }, { windowsBytes: [1] }, {}])(
    'refuses %j',
    (test) => {
      expect(() => stored(windowSweep, test)).toThrow();
    },
  );
});
