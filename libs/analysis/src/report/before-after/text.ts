import { formatTime } from '../format.js';
import type { BeforeAfterModel } from './model.js';
import type { ReportCell, ReportRow } from './rows.js';

export interface TextOptions {
  /** Escape codes for a terminal: the verdict bold and coloured. Default: none. */
  colour?: boolean;
  /** Columns that sentences are wrapped to; default 100. */
  widthColumns?: number;
}

const PAINT = { improved: 32, worse: 31, unchanged: 33 } as const;

/** The report for a terminal: verdict, table, what was not known. Ends with a newline. */
export function renderText(model: BeforeAfterModel, options: TextOptions = {}): string {
  const width = Math.max(options.widthColumns ?? 100, 40);
  const { outcome, headline, because } = model.verdict;
  const code = outcome in PAINT ? PAINT[outcome as keyof typeof PAINT] : 33;
  const paint = (text: string) => (options.colour ? `\u001b[1;${code}m${text}\u001b[0m` : text);
  return [
    ...wrap(headline, width).map(paint),
    '',
    ...because.flatMap((sentence) => wrap(sentence, width)),
    '',
    ...table(model.rows),
    '',
    ...wrap(`Change: ${model.change}`, width),
    ...(['before', 'after'] as const).map(
      (side) =>
        `${side.padEnd(6)} run ${clean(model.sides[side].runId)}, ${clean(formatTime(model.sides[side].startedAt))}`,
    ),
    ...unknowns(model.rows).flatMap((line) => wrap(line, width)),
    ...model.notes.flatMap((note) => wrap(`Note: ${note}`, width)),
    '',
  ].join('\n');
}

function table(rows: readonly ReportRow[]): string[] {
  const lines = [
    ['', 'before', 'after', 'after / before'],
    ...rows.map((row) => [row.label, row.before.text, row.after.text, row.ratioText]),
  ].map((line) => line.map(clean));
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => [...(line[column] ?? '')].length)));
  const printed = lines.map((line) =>
    line
      .map((text, column) => pad(text, widths[column] ?? 0, column > 0))
      .join('  ')
      .trimEnd(),
  );
  const rule = '-'.repeat(widths.reduce((sum, w) => sum + w, 0) + 6);
  return [printed[0] ?? '', rule, ...printed.slice(1)];
}

function pad(text: string, width: number, right: boolean): string {
  const fill = ' '.repeat(Math.max(width - [...text].length, 0));
  return right ? fill + text : text + fill;
}

/** What is not known and why, one line a reason. */
function unknowns(rows: readonly ReportRow[]): string[] {
  const labels = new Map<string, string[]>();
  const note = (side: string, label: string, { reason }: ReportCell) => {
    if (reason === undefined) return;
    const key = `Unknown ${side} (${reason})`;
    labels.set(key, [...(labels.get(key) ?? []), label]);
  };
  for (const row of rows) {
    note('before', row.label, row.before);
    note('after', row.label, row.after);
  }
  return [...labels].map(([key, names]) => `${key}: ${names.join('; ')}.`);
}

/** Text from outside without control characters: a run's label must not move the cursor. */
const clean = (text: string): string => text.replace(/[\t\n\r]+/g, ' ').replace(/\p{Cc}/gu, '\ufffd');

/** Breaks at spaces; a word longer than the width stays whole. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  // Ends with the words of the text.
  for (const word of clean(text).split(' ')) {
    if (line !== '' && [...line].length + 1 + [...word].length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
