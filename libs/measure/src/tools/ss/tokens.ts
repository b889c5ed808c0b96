/** One word of ss's information line: `key:value`, or a bare word such as `app_limited` (no value). */
export interface Token {
  readonly key: string;
  readonly value?: string;
}

/** Words that have their value after a space (ss.c, tcp_stats_print). */
const SPACED = new Set(['send', 'pacing_rate', 'delivery_rate']);

/** Splits at spaces outside parentheses, so that `skmem:(r0,rb131072)` and `busy:8200ms(82.0%)` stay whole. */
export function tokenise(line: string): Token[] {
  const words = splitOutsideParentheses(line);
  const tokens: Token[] = [];
  // Ends: each turn takes one or two words.
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i]!;
    const next = words[i + 1];
    const colon = word.indexOf(':');
    if (colon > 0) tokens.push({ key: word.slice(0, colon), value: word.slice(colon + 1) });
    else if (SPACED.has(word) && next !== undefined && /^\d/.test(next)) {
      tokens.push({ key: word, value: next });
      i += 1;
    } else tokens.push({ key: word });
  }
  return tokens;
}

function splitOutsideParentheses(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let depth = 0;
  for (const character of line) {
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth > 0 || !/\s/.test(character)) word += character;
    else if (word !== '') {
      words.push(word);
      word = '';
    }
  }
  return word === '' ? words : [...words, word];
}

/** Members of a group such as `(bw:94.2Mbps,mrtt:18.1)`. */
export const members = (group: string): Token[] =>
  group
    .replace(/^\(|\)$/g, '')
    .split(',')
    .map((member) => {
      const colon = member.indexOf(':');
      return colon > 0 ? { key: member.slice(0, colon), value: member.slice(colon + 1) } : { key: member };
    });

/** A number at the start of a text, at most 2^53; undefined: none there. Whatever follows (`ms`, `(0.4%)`) is not read. */
export function leadingNumber(text: string | undefined): number | undefined {
  const digits = /^\d+(\.\d+)?([eE][+-]?\d+)?/.exec(text ?? '')?.[0];
  const value = digits === undefined ? Number.NaN : Number(digits);
  return Number.isFinite(value) && value < 2 ** 53 ? value : undefined;
}

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** `94.2Mbps` or, with -n since iproute2 5.x, `94200000bps`, in bit/s. A pacing rate without a limit (2^64 - 1) is undefined. */
export function rateBps(text: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)([kKMGT]?)bps/.exec(text ?? '');
  const value = match ? Number(match[1]) * (FACTORS[match[2]!.toLowerCase()] ?? Number.NaN) : Number.NaN;
  return Number.isFinite(value) && value < 2 ** 53 ? value : undefined;
}
