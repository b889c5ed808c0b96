import { printable, type Style, styled, type Terminal } from './terminal.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** May be cut short when the line is too long for the terminal; the others are not. */
  readonly flexible?: boolean;
}
export type Cell = string | { readonly text: string; readonly style: Style };

const GAP = '  ';
const NARROWEST = 8;

/**
 * Lines of a table that fit the terminal: flexible columns are cut (with `…`) as far as needed, the widest first.
 * A file or pipe has no width: nothing is cut there.
 */
export function table(
  terminal: Pick<Terminal, 'colour' | 'columns'>,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): string {
  const widths = columns.map((column, i) => Math.max(...[column.title, ...rows.map((r) => cellText(r[i]))].map(width)));
  shrink(widths, columns, terminal.columns());
  const line = (cells: readonly Cell[]): string =>
    columns
      .map((column, i) => {
        const cell = cells[i];
        const text = pad(cut(cellText(cell), widths[i] ?? 0), widths[i] ?? 0, column.align);
        return styled(terminal, typeof cell === 'object' ? cell.style : undefined, text);
      })
      .join(GAP)
      .trimEnd();
  const head: Cell[] = columns.map((c) => ({ text: c.title, style: 'bold' }));
  return `${[head, ...rows].map(line).join('\n')}\n`;
}

/** `name: value` lines with the values in one column. */
export function facts(pairs: readonly (readonly [name: string, value: string | undefined])[], indent = ''): string {
  const known = pairs.filter((p): p is readonly [string, string] => p[1] !== undefined && p[1] !== '');
  const longest = Math.max(0, ...known.map(([name]) => width(name)));
  return known.map(([name, value]) => `${indent}${pad(name, longest)}${GAP}${printable(value)}\n`).join('');
}

/** Text broken at spaces so that no line is longer than the terminal (or 100 columns); a longer word stays whole. */
export function wrap(text: string, columns: number, indent = ''): string {
  const room = Math.max(Math.min(columns, 100) - width(indent), 20);
  const lines: string[] = [];
  let current = '';
  for (const word of printable(text).split(/\s+/)) {
    if (current !== '' && width(current) + 1 + width(word) > room) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  if (current !== '') lines.push(current);
  return lines.map((l) => `${indent}${l}\n`).join('');
}

const cellText = (cell: Cell | undefined): string =>
  printable(typeof cell === 'object' ? cell.text : (cell ?? '')).replace(/\s*\n\s*/g, ' ');
const width = (text: string): number => [...text].length;
const pad = (text: string, to: number, align: Column['align'] = 'left'): string => {
  const space = ' '.repeat(Math.max(to - width(text), 0));
  return align === 'right' ? space + text : text + space;
};

/** `text` in at most `to` columns; what is cut is shown by `…`. */
export const cut = (text: string, to: number): string =>
  width(text) <= to ? text : to <= 1 ? '…'.slice(0, to) : `${[...text].slice(0, to - 1).join('')}…`;

/** Takes columns away, one at a time, from the widest flexible column. Ends: each turn shortens one, and none below NARROWEST. */
function shrink(widths: number[], columns: readonly Column[], available: number): void {
  const total = (): number => widths.reduce((a, b) => a + b, 0) + GAP.length * (widths.length - 1);
  while (total() > available) {
    let widest = -1;
    widths.forEach((w, i) => {
      if (columns[i]?.flexible && w > NARROWEST && (widest < 0 || w > (widths[widest] ?? 0))) widest = i;
    });
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
