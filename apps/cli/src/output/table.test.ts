import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, facts, table, wrap } from './table.js';

const plain = (columns = Number.POSITIVE_INFINITY) => ({ colour: false, columns: () => columns });
const COLUMNS = [{ title: 'name' }, { title: 'rate', align: 'right' as const }, { title: 'why', flexible: true }];

describe('table', () => {
  it('lines columns up, numbers at the right, with no blanks at the end of a line', () => {
    const text = table(plain(), COLUMNS, [
      ['a', '200 Mbit/s', 'x'],
      ['long-name', '9 Mbit/s', ''],
    ]);
    expect(text).toBe(
      ['name             rate  why', 'a          200 Mbit/s  x', 'long-name    9 Mbit/s', ''].join('\n'),
    );
  });

  it('cuts only flexible columns, and only on a terminal', () => {
    const rows = [['a', '200 Mbit/s', 'a reason that is far longer than the terminal is wide']];
    expect(table(plain(), COLUMNS, rows)).toContain('wide');
    const narrow = table(plain(40), COLUMNS, rows);
    expect(narrow).toContain('200 Mbit/s');
    expect(narrow).toContain('…');
    for (const line of narrow.split('\n')) expect([...line].length).toBeLessThanOrEqual(40);
  });

  it('fits any terminal that the fixed columns leave room in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 6 }),
        fc.integer({ min: 30, max: 120 }),
        (cells, columns) => {
          const text = table(
            plain(columns),
            [{ title: 'id' }, { title: 'one', flexible: true }, { title: 'two', flexible: true }],
            cells.map(([a, b]) => ['x', a, b]),
          );
          for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(columns);
          expect(text.split('\n')).toHaveLength(cells.length + 2);
        },
      ),
    );
  });

  it('colours after padding, so that colours do not move columns', () => {
    const text = table(
      { colour: true, columns: () => 80 },
      [{ title: 'state' }, { title: 'n' }],
      [[{ text: 'ok', style: 'green' }, '1']],
    );
    expect(text).toContain('\x1b[32mok   \x1b[0m  1');
  });

  it('shows no escape sequence that a cell brought along', () => {
    expect(table(plain(), [{ title: 'x' }], [['\x1b]0;owned\x07']])).toBe('x\n\ufffd]0;owned\ufffd\n');
  });
});

describe('facts, wrap and cut', () => {
  it('leaves out what is not known', () => {
    expect(
      facts([
        ['name', 'a'],
        ['mtu', undefined],
        ['long name', 'b'],
      ]),
    ).toBe('name       a\nlong name  b\n');
  });

  it('breaks at spaces and keeps every word', () => {
    const text = wrap('one two three four five six seven', 24, '  ');
    expect(text.replace(/\s+/g, ' ').trim()).toBe('one two three four five six seven');
    for (const line of text.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(24);
  });

  it('marks what it cut', () => {
    expect(cut('abcdef', 4)).toBe('abc…');
    expect(cut('abcd', 4)).toBe('abcd');
    expect(cut('abcd', 1)).toBe('…');
    expect(cut('abcd', 0)).toBe('');
  });
});
