import { type Ending, ended, REASONS, Reason } from '@plumbline/model';
import { describe, expect, it } from 'vitest';
import { endsStep, finalEnding, firstCause, retryDelayMs, stepEnding, TRIES } from './endings.js';

const completed: Ending = { outcome: 'completed' };

describe('retries', () => {
  it('happen only for reasons that stand for "before any traffic", at most three tries', () => {
    for (const reason of Reason.options) {
      const delay = retryDelayMs(ended(reason), 1, 0.5);
      expect(delay !== undefined).toBe(REASONS[reason].retry);
      expect(retryDelayMs(ended(reason), TRIES, 0.5)).toBeUndefined();
    }
    expect(retryDelayMs(completed, 1, 0.5)).toBeUndefined();
  });

  it('wait longer each time, spread by a fifth (A28)', () => {
    const busy = ended('server-busy');
    expect(retryDelayMs(busy, 1, 0.5)).toBe(200);
    expect(retryDelayMs(busy, 2, 0.5)).toBe(500);
    expect(retryDelayMs(busy, 1, 0)).toBe(160);
    expect(retryDelayMs(busy, 1, 1)).toBe(240);
  });
});

describe('the first cause', () => {
  it('is what the control plane did, before what the probes say', () => {
    expect(firstCause({ cause: ended('cancelled-by-user'), near: ended('tool-killed') })).toMatchObject({
      reason: 'cancelled-by-user',
    });
  });

  it('is at the far side only when that was lost or pushed aside and the near side did not complete', () => {
    const failed = ended('connection-reset');
    expect(firstCause({ near: failed, far: ended('probe-stopped') })).toMatchObject({ reason: 'far-probe-lost' });
    expect(firstCause({ near: failed, far: ended('superseded') })).toMatchObject({ reason: 'superseded' });
    expect(firstCause({ near: failed, far: ended('tool-failed') })).toEqual(failed);
    expect(firstCause({ near: completed, far: ended('probe-stopped') })).toEqual(completed);
  });

  it('is a lost probe when nobody says anything', () => {
    expect(firstCause({})).toMatchObject({ outcome: 'lost', reason: 'probe-lost' });
  });
});

describe('the final ending', () => {
  it("is the parser's, unless the attempt was ended from outside", () => {
    const read = ended('receiver-totals-missing');
    expect(finalEnding(completed, read)).toEqual(read);
    expect(finalEnding(ended('tool-failed'), ended('server-busy'))).toEqual(ended('server-busy'));
    for (const reason of ['cancelled-by-user', 'probe-lost', 'deadline-exceeded', 'fence-stale'] as const)
      expect(finalEnding(ended(reason), completed)).toEqual(ended(reason));
  });
});

describe('what the near tool says when its peer went away', () => {
  const read = ended('control-connection-lost');
  it('is explained by what became of the far side', () => {
    expect(finalEnding(completed, read, ended('far-probe-lost'))).toMatchObject({ reason: 'far-probe-lost' });
    expect(finalEnding(completed, read, ended('probe-stopped'))).toMatchObject({ reason: 'far-probe-lost' });
    expect(finalEnding(completed, read, ended('tool-killed', 'iperf3 was ended by SIGKILL.'))).toEqual(
      ended('tool-killed', 'On the far side: iperf3 was ended by SIGKILL.'),
    );
  });
  it('stands when the far side ended by itself, and a good result stands whatever became of the far side', () => {
    for (const far of [completed, ended('tool-failed'), ended('interrupted')])
      expect(finalEnding(completed, read, far)).toEqual(read);
    expect(finalEnding(completed, completed, ended('far-probe-lost'))).toEqual(completed);
  });
});

describe('a step', () => {
  it('succeeds only when every attempt completed', () => {
    expect(stepEnding([completed, completed])).toEqual({ state: 'succeeded' });
    expect(stepEnding([completed, ended('interrupted')])).toEqual({ state: 'failed', reason: 'some-attempts-failed' });
    expect(stepEnding([ended('tool-missing', 'iperf3'), ended('tool-missing')])).toEqual({
      state: 'failed',
      reason: 'tool-missing',
      detail: 'iperf3',
    });
    expect(stepEnding([ended('tool-failed'), ended('no-route')])).toMatchObject({ reason: 'some-attempts-failed' });
  });

  it('is cancelled when somebody cancelled it, not when a newer leg took the interface', () => {
    expect(stepEnding([completed, ended('cancelled-by-user')])).toMatchObject({ state: 'cancelled' });
    expect(stepEnding([ended('superseded')])).toMatchObject({ state: 'failed', reason: 'superseded' });
  });

  it('does not go on where every further attempt would end alike', () => {
    expect(endsStep(ended('tool-missing'))).toBe(true);
    expect(endsStep(ended('congestion-control-unavailable'))).toBe(false);
    expect(endsStep(completed)).toBe(false);
  });

  it('goes on where another attempt needs another tool, or starts at the other host', () => {
    expect(endsStep(ended('tool-missing'), true)).toBe(false);
    expect(endsStep(ended('cancelled-by-user'), true)).toBe(true);
  });

  it('without any attempt is no success', () => {
    expect(stepEnding([])).toMatchObject({ state: 'failed', reason: 'parameter-unsupported' });
  });
});
