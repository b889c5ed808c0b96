import { describe, expect, it } from 'vitest';
import { ProgressLine } from './progress-line.js';

function terminal(isTty: boolean, columns = 80) {
  const written: string[] = [];
  return { written, isTty, colour: false, columns: () => columns, write: (t: string) => void written.push(t) };
}

describe('progress line', () => {
  it('rewrites one line on a terminal and never wraps', () => {
    const t = terminal(true, 20);
    const line = new ProgressLine(t);
    line.update('before', '1 Mbit/s');
    line.update('before', 'a text that is too long for it');
    line.clear();
    expect(t.written[0]).toBe('\r\x1b[2Kbefore  1 Mbit/s');
    expect([...(t.written[1] ?? '').replace('\r\x1b[2K', '')].length).toBe(19);
    expect(t.written.at(-1)).toBe('\r\x1b[2K');
    expect(t.written.join('')).not.toContain('\n');
  });

  it('writes nothing twice', () => {
    const t = terminal(true);
    const line = new ProgressLine(t);
    line.update('before');
    line.update('before');
    expect(t.written).toHaveLength(1);
  });

  it('writes plain lines elsewhere: a new heading at once, news every two seconds', () => {
    const t = terminal(false);
    let nowMs = 0;
    const line = new ProgressLine(t, () => nowMs);
    for (; nowMs < 4500; nowMs += 250) line.update('before', `${nowMs} ms`);
    line.update('after', 'x');
    expect(t.written).toEqual(['before  0 ms\n', 'before  2000 ms\n', 'before  4000 ms\n', 'after  x\n']);
    expect(t.written.join('')).not.toContain('\x1b');
  });

  it('leaves nothing to clear where nothing was shown', () => {
    const t = terminal(true);
    new ProgressLine(t).clear();
    expect(t.written).toEqual([]);
  });
});
