import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { printable, streamTerminal, styled } from './terminal.js';

const tty = (columns?: number) => Object.assign(new PassThrough(), { isTTY: true, columns });

describe('terminal', () => {
  it.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ NO_COLOR: '' }, true],
    [{ TERM: 'dumb' }, false],
  ])('with %o colours are %s', (env, colour) => {
    expect(streamTerminal(tty(), env).colour).toBe(colour);
    expect(streamTerminal(new PassThrough(), env).colour).toBe(false);
  });

  it('knows its width, and that a pipe has none', () => {
    expect(streamTerminal(tty(132), {}).columns()).toBe(132);
    expect(streamTerminal(tty(), {}).columns()).toBe(80);
    expect(streamTerminal(new PassThrough(), {}).columns()).toBe(Number.POSITIVE_INFINITY);
  });

  it('goes on quietly when nobody reads any more', () => {
    const stream = new PassThrough();
    const terminal = streamTerminal(stream, {});
    stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    terminal.write('lost');
    expect(stream.read()).toBeNull();
  });

  it('styles only where there are colours', () => {
    expect(styled({ colour: true }, 'red', 'x')).toBe('\x1b[31mx\x1b[0m');
    expect(styled({ colour: false }, 'red', 'x')).toBe('x');
    expect(styled({ colour: true }, undefined, 'x')).toBe('x');
  });

  it('shows control characters instead of obeying them', () => {
    expect(printable('a\x1b[2Jb\u202ec\td\n')).toBe('a\ufffd[2Jb\ufffdc\td\n');
  });
});
