import fc from 'fast-check';

/** One thing that happens to a text: where (a share of its length), how much, and what is put there. */
export interface Blow {
  readonly what:
    | 'cut-off'
    | 'cut-out'
    | 'insert'
    | 'replace'
    | 'repeat'
    | 'number'
    | 'value'
    | 'line'
    | 'splice'
    | 'junk';
  readonly at: number;
  readonly length: number;
  readonly word: string;
}

const WORDS = [
  ...[
    '\0',
    '\n',
    '\r\n',
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    '-',
    '.',
    ':',
    '/',
    '%',
    '=',
    '(',
    ')',
    ' ',
    '\t',
    '\u2028',
    '\ufeff',
  ],
  ...['null', '[]', '{}', '""', '???', 'ms', 'error', 'bits/sec', 'received', 'Kbytes', '\x1b[0m', 'ÿ', '𝟘', '٣'],
];
/** Numbers that other versions, full counters and broken clocks print. */
const NUMBERS = [
  ...[
    '0',
    '-0',
    '-1',
    '00',
    '0.0',
    '-0.5',
    '0.000001',
    '1e-320',
    '1e308',
    '-1e308',
    '1e999',
    '-1e999',
    'nan',
    '-nan',
    'inf',
  ],
  ...['NaN', 'Infinity', '4294967295', '4294967296', '9007199254740991', '9007199254740993', '18446744073709551615'],
  ...['99999999999999999999', '0x10', '1.2.3', '1,5', '--.---', '*', '', '2', '3', '7', '100', '65536', '1000000'],
];
const VALUES = [
  'null',
  '[]',
  '{}',
  '""',
  '"x"',
  'true',
  '-1',
  '0',
  '1e308',
  '1e999',
  '9007199254740993',
  '[null]',
  '{"a":1}',
  '"NaN"',
];

/** Evenly spread, as fc.double is not. */
const share = fc.nat({ max: 999_999 }).map((n) => n / 1e6);
const word = (what: Blow['what']): fc.Arbitrary<string> => {
  if (what === 'number') return fc.constantFrom(...NUMBERS);
  if (what === 'value') return fc.constantFrom(...VALUES);
  if (what === 'junk')
    return fc.oneof(fc.string({ maxLength: 200 }), fc.json({ maxDepth: 3 }), fc.constantFrom('', '\n', '{', '[]'));
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...WORDS, ...NUMBERS) }, fc.string({ maxLength: 12 }));
};

/** Cuts the end off, as a killed program or a full disk does. */
export const cutOff: fc.Arbitrary<Blow> = share.map((at) => ({ what: 'cut-off', at, length: 0, word: '' }));

export const blow: fc.Arbitrary<Blow> = fc
  .constantFrom<Blow['what']>(
    ...(['cut-off', 'cut-out', 'insert', 'replace', 'repeat', 'number', 'number', 'number'] as const),
    ...(['value', 'value', 'line', 'splice', 'junk'] as const),
  )
  .chain((what) => fc.record({ what: fc.constant(what), at: share, length: fc.nat({ max: 400 }), word: word(what) }));

/** @param other another text of the same program, for a splice */
export function struck(text: string, { what, at, length, word }: Blow, other: string): string {
  const place = Math.floor(at * (text.length + 1));
  switch (what) {
    case 'cut-off':
      return text.slice(0, place);
    case 'cut-out':
      return text.slice(0, place) + text.slice(place + length);
    case 'insert':
      return text.slice(0, place) + word + text.slice(place);
    case 'replace':
      return text.slice(0, place) + word + text.slice(place + (length % 12));
    case 'repeat':
      return text.slice(0, place + length) + text.slice(place);
    case 'number':
      return replaced(text, /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g, place, word);
    case 'value':
      return replaced(text, /(?<=": ?)(?:-?\d[\d.e+]*|"[^"\n]*"|true|false|null)/g, place, word);
    case 'line':
      return lines(text, place, length);
    case 'splice':
      return text.slice(0, place) + other.slice(Math.floor((length / 400) * other.length));
    case 'junk':
      return word;
  }
}

/** The first match behind the place, else the first of all, gives way to the word. */
function replaced(text: string, pattern: RegExp, place: number, word: string): string {
  pattern.lastIndex = place;
  let match = pattern.exec(text);
  if (!match) {
    pattern.lastIndex = 0;
    match = pattern.exec(text);
  }
  return match ? text.slice(0, match.index) + word + text.slice(match.index + match[0].length) : text;
}

/** One line is left out, printed many times, or printed last. */
function lines(text: string, place: number, length: number): string {
  const start = text.lastIndexOf('\n', place - 1) + 1;
  const next = text.indexOf('\n', start);
  const end = next < 0 ? text.length : next + 1;
  const line = text.slice(start, end);
  if (length % 3 === 0) return text.slice(0, start) + text.slice(end);
  if (length % 3 === 1) return text.slice(0, start) + line.repeat(1 + (length % 50)) + text.slice(end);
  return text.slice(0, start) + text.slice(end) + line;
}
