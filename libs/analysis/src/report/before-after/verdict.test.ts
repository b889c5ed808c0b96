import { describe, expect, it } from 'vitest';
import { exampleInput, exampleSide } from '../../test-support/examples.js';
import { type BeforeAfterInput, emptySide, type SideData } from './input.js';
import { beforeAfterModel } from './model.js';

const verdict = (over: Partial<BeforeAfterInput>) => beforeAfterModel(exampleInput(over)).verdict;
const said = (over: Partial<BeforeAfterInput>) => verdict(over).because.join(' ');
const before = exampleInput().before;
const after = exampleInput().after;
const afterWith = (over: Partial<SideData>) => exampleSide({ ...after, ...over });
const noLink = { path: { name: 'p', rateLayer: 'ip' as const }, lab: undefined };

describe('the verdict sentence', () => {
  it('says what happened and names the change that the snapshots show', () => {
    const { outcome, headline, ratio } = verdict({});
    expect(outcome).toBe('improved');
    expect(headline).toBe(
      "After the receiver's window limit was raised, one flow went from 75.2 Mbit/s to 191 Mbit/s (2.55×).",
    );
    expect(ratio).toBeCloseTo(191.4 / 75.2, 6);
  });

  it('says "the change" where the snapshots do not show a limit that moved, and "lowered" where it went down', () => {
    expect(verdict({ after: afterWith({ tcpRmemMaxBytes: null }) }).headline).toMatch(
      /^After the change, one flow went/,
    );
    expect(verdict({ before: after, after: before }).headline).toMatch(
      /^After the receiver's window limit was lowered, one flow got less: down from 191 Mbit\/s to 75.2 Mbit\/s/,
    );
  });

  it('calls two runs within the margin unchanged, beyond it improved or worse', () => {
    for (const [factor, outcome] of [
      [1.029, 'unchanged'],
      [0.971, 'unchanged'],
      [1.031, 'improved'],
      [0.969, 'worse'],
    ] as const)
      expect(verdict({ after: exampleSide({ throughputBps: 75.2e6 * factor }) }).outcome).toBe(outcome);
    expect(verdict({ after: before }).headline).toBe(
      'After the change, one flow got what it got before: 75.2 Mbit/s, then 75.2 Mbit/s (within 3 %).',
    );
  });

  it('gives no verdict when a side is missing, and says why', () => {
    const empty = emptySide('01X', '2026-11-30T16:00:00Z', 'the far end refused the connection');
    expect(verdict({ before: empty })).toMatchObject({ outcome: 'before-missing', ratio: null });
    expect(verdict({ before: empty }).headline).toBe(
      'No comparison: the run before the change has no throughput (the far end refused the connection). After it, one flow got 191 Mbit/s.',
    );
    expect(verdict({ after: empty })).toMatchObject({ outcome: 'after-missing' });
    expect(verdict({ after: empty }).headline).toMatch(
      /run after the change .* Before it, one flow got 75.2 Mbit\/s\.$/,
    );
    expect(verdict({ before: empty, after: empty })).toMatchObject({ outcome: 'both-missing', because: [] });
    expect(verdict({ before: empty, after: empty }).headline).toMatch(/neither run/);
    const silent = exampleSide({ throughputBps: null });
    expect(verdict({ before: silent }).headline).toContain('no reason was recorded');
  });

  it('has no ratio when nothing was carried before', () => {
    const v = verdict({ before: exampleSide({ throughputBps: 0 }) });
    expect(v).toMatchObject({ outcome: 'improved', ratio: null });
    expect(v.headline).toContain('from 0 bit/s to 191 Mbit/s.');
  });

  it('says on loopback what that can and cannot show, and blames nothing', () => {
    const v = verdict({ loopback: true, ...noLink });
    expect(v.headline).toMatch(/^On loopback, after/);
    expect(v.because[0]).toMatch(/cannot show what a window, loss or distance does/);
    expect(v.because.join(' ')).not.toMatch(/held|limit:/);
  });
});

describe('what limited the flow', () => {
  it('is the window when measured / (window / RTT) is near 1 and the kernel counted the waiting', () => {
    expect(said({})).toContain(
      "Before, the receiver's window held it: window / RTT = 174 kB × 8 / 18.3 ms = 76.1 Mbit/s, and the flow got 99 % of that; the kernel counted 97 % of the sender's busy time as waiting for it.",
    );
  });

  it('is the link when the flow gets nearly all that TCP can carry on it', () => {
    expect(said({})).toContain(
      'Now, the link is the limit: the flow gets 99.1 % of the 193 Mbit/s that TCP can carry on it.',
    );
  });

  it('is not the window when the kernel counted little waiting, nor when the formula does not fit', () => {
    expect(said({ before: exampleSide({ limitedReceiveWindow: 0.03 }) })).toContain('What held it before is not shown');
    expect(said({ before: exampleSide({ throughputBps: 40e6 }) })).toContain('What held it before is not shown');
  });

  it('is not the window when a queue grows: behind a full queue window / RTT is always the rate of the link', () => {
    const queued = exampleSide({ throughputBps: 100e6, windowMaxBytes: 500_000, rttLoadedMeanMs: 40 });
    expect(said({ ...noLink, before: queued })).toContain('What held it before is not shown');
  });

  it('is the window with less certainty where the kernel keeps no counter, and by the counter alone without a window', () => {
    expect(said({ before: exampleSide({ limitedReceiveWindow: null }) })).toContain(
      'this kernel did not say how long it waited for the window',
    );
    expect(said({ before: exampleSide({ windowMaxBytes: null }) })).toMatch(
      /Before, the receiver's window held it: the kernel counted 97 %/,
    );
  });

  it('is the send buffer when the kernel counted that waiting', () => {
    const s = said({ before: exampleSide({ limitedReceiveWindow: 0, limitedSendBuffer: 0.81 }) });
    expect(s).toMatch(/Before, the sender's own buffer held it: the kernel counted 81 %.*tcp_wmem/);
  });

  it('says "still" when the limit stayed, and that the new limit was not used', () => {
    const same = exampleSide({ tcpRmemMaxBytes: 33_554_432 });
    expect(said({ after: same })).toMatch(/^The receiver's window still holds it:.*The new limit was not used.*174 kB/);
    expect(said({ before: after })).toMatch(/^The link is still the limit:/);
  });

  it('tells what is known when nothing explains the rate', () => {
    const s = said({ after: afterWith({ throughputBps: 92e6, retransmits: 1240 }) });
    expect(s).toMatch(
      /What holds it now is not shown by these numbers: .*48 % of what TCP can carry.*1,240 segments retransmitted/,
    );
  });

  it('says what to do when it got worse', () => {
    const s = said({ before: after, after: afterWith({ throughputBps: 92e6, retransmits: 1240 }) });
    expect(s).toContain('Retransmitted segments went from 38 to 1,240. Undo the change');
  });

  it('does not call the link the limit when the flow is faster than the link is said to be', () => {
    const s = said({ after: afterWith({ throughputBps: 260e6 }) });
    expect(s).not.toContain('link is the limit');
    expect(s).toContain('not what was written down');
  });

  it('compares at the layer of the contract: 1 Gbit/s of Ethernet gives TCP 941', () => {
    const path = { name: 'p', committedRateBps: 1e9, rateLayer: 'ethernet' as const };
    expect(said({ path, after: afterWith({ throughputBps: 940e6 }) })).toContain('99.8 % of the 941 Mbit/s');
  });

  it('says loudly what else differs between the runs', () => {
    const other = afterWith({ congestionControl: 'bbr', kernel: '6.18.6', tools: { iperf3: '3.16' } });
    const s = said({ after: other });
    expect(s).toContain(
      'The runs also differ in congestion control (cubic, then bbr), kernel (6.18.5, then 6.18.6), iperf3 (3.12, then 3.16)',
    );
    expect(said({})).not.toContain('also differ');
  });
});
