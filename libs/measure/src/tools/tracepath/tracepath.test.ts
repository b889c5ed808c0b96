import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mutated } from '../../test-support/reading.js';
import { parseTracepath } from './parse.js';
import { tracepath } from './version.js';

/** Recorded with iputils 20221126 (Debian 12) in namespaces: the far link of 192.0.2.2 has an MTU of 1400. */
const TOO_BIG = ` 1:  192.0.2.2                                             4.696ms 
 2:  192.0.2.2                                             4.428ms pmtu 1400
 2:  192.0.2.66                                           45.876ms reached
     Resume: pmtu 1400 hops 2 back 2 
`;
/** Recorded like it: packets above 1400 bytes vanish. */
const BLACK_HOLE = ` 1?: [LOCALHOST]                      pmtu 1500
 1:  192.0.2.2                                             7.674ms 
 1:  192.0.2.2                                            13.823ms 
 2:  no reply
 3:  no reply
     Too many hops: pmtu 1500
     Resume: pmtu 1500 
`;
/** Shape after tracepath.c of iputils s20161105 and 20250605 (asymm, !H, names with their addresses); own numbers. */
const ODD = ` 1?: [LOCALHOST]                        0.031ms pmtu 9000
 1:  gw.example (198.51.100.1)                             0.512ms asymm  2 
 2:  198.51.100.9                                          1.250ms pmtu 1500
 2:  198.51.100.10                                         1.760ms 
 3:  203.0.113.7                                          12.100ms !H
     Resume: pmtu 1500 
`;

describe('tracepath', () => {
  test('a line with pmtu comes from the hop before the one that was asked', () => {
    const read = parseTracepath(TOO_BIG);
    expect(read.signals).toEqual([{ from: '192.0.2.2', mtuBytes: 1400 }]);
    expect(read.hops.map(({ hop, host }) => [hop, host])).toEqual([
      [1, '192.0.2.2'],
      [2, '192.0.2.66'],
    ]);
    expect(read).toMatchObject({ mtuBytes: 1400, reached: true, notes: [] });
    expect(read.localMtuBytes).toBeUndefined();
  });

  test('silence is no reply, not a hop', () => {
    const read = parseTracepath(BLACK_HOLE);
    expect(read).toMatchObject({ localMtuBytes: 1500, mtuBytes: 1500, reached: false, signals: [], notes: [] });
    expect(read.hops.filter(({ host }) => host === undefined).map(({ hop }) => hop)).toEqual([2, 3]);
  });

  test('names, asymmetry and refusals', () => {
    const read = parseTracepath(ODD);
    expect(read.hops).toEqual([
      { hop: 1, host: 'gw.example', rttMs: 0.512, reached: false },
      { hop: 2, host: '198.51.100.10', rttMs: 1.76, reached: false },
      { hop: 3, host: '203.0.113.7', rttMs: 12.1, reached: false, refusal: '!H' },
    ]);
    expect(read).toMatchObject({
      localMtuBytes: 9000,
      mtuBytes: 1500,
      signals: [{ from: '198.51.100.9', mtuBytes: 1500 }],
    });
  });

  test('its version', () => {
    expect(tracepath.parseVersion('tracepath from iputils 20221126')).toBe('20221126');
    expect(tracepath.parseVersion('tracepath from iputils s20190709')).toBe('20190709');
  });

  test('whatever is read, it does not throw and knows no odd MTU', () => {
    fc.assert(
      fc.property(fc.oneof(mutated(TOO_BIG), mutated(ODD), fc.string()), (text) => {
        const { mtuBytes, localMtuBytes, signals, hops } = parseTracepath(text);
        for (const bytes of [mtuBytes, localMtuBytes, ...signals.map((signal) => signal.mtuBytes)])
          expect(bytes === undefined || (bytes > 0 && bytes <= 65_535)).toBe(true);
        for (const { rttMs } of hops) expect(rttMs === undefined || Number.isFinite(rttMs)).toBe(true);
      }),
    );
  });
});
