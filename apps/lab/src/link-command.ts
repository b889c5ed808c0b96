import { LabError, sentenceOf } from './lab-error.js';
import { parseCount, parseDuration, parseRate, parseRatio, parseSize } from './quantities.js';
import type { Direction } from './topology.js';

/** What can be changed on a link while it runs. Zero takes a policer, a rate for each flow, a longest packet or a queue time away again. */
export type LinkCommand =
  | { command: 'rate'; rateBps: number }
  | { command: 'delay'; delayMs: number }
  | { command: 'queue'; queueBytes: number }
  | { command: 'queuetime'; queueMs: number }
  | { command: 'loss'; ratio: number }
  | { command: 'dup'; ratio: number }
  | { command: 'reorder'; ratio: number; extraMs: number }
  | { command: 'policer'; rateBps: number; burstBytes: number }
  | { command: 'flowrate'; rateBps: number }
  | { command: 'maxlen'; sizeBytes: number }
  | { command: 'wscale'; keep: boolean }
  | { command: 'seed'; seed: number }
  | { command: 'down' }
  | { command: 'up' }
  | { command: 'reset' };

interface Grammar {
  values: readonly string[];
  read: (values: readonly string[]) => LinkCommand;
}

const bare = (command: 'down' | 'up' | 'reset'): Grammar => ({ values: [], read: () => ({ command }) });

/** The words of `plumb lab set`, with what follows each. */
const GRAMMAR: Readonly<Record<LinkCommand['command'], Grammar>> = {
  rate: { values: ['RATE'], read: ([rate = '']) => ({ command: 'rate', rateBps: parseRate(rate) }) },
  delay: { values: ['TIME'], read: ([time = '']) => ({ command: 'delay', delayMs: parseDuration(time) }) },
  queue: { values: ['SIZE'], read: ([size = '']) => ({ command: 'queue', queueBytes: parseSize(size) }) },
  queuetime: { values: ['TIME'], read: ([time = '']) => ({ command: 'queuetime', queueMs: parseDuration(time) }) },
  loss: { values: ['RATIO'], read: ([ratio = '']) => ({ command: 'loss', ratio: parseRatio(ratio) }) },
  dup: { values: ['RATIO'], read: ([ratio = '']) => ({ command: 'dup', ratio: parseRatio(ratio) }) },
  reorder: {
    values: ['RATIO', 'TIME'],
    read: ([ratio = '', time = '']) => ({ command: 'reorder', ratio: parseRatio(ratio), extraMs: parseDuration(time) }),
  },
  policer: {
    values: ['RATE', 'SIZE'],
    read: ([rate = '', size = '']) => ({ command: 'policer', rateBps: parseRate(rate), burstBytes: parseSize(size) }),
  },
  flowrate: {
    values: ['RATE'],
    read: ([rate = '']) => ({ command: 'flowrate', rateBps: rate === '0' ? 0 : parseRate(rate) }),
  },
  maxlen: { values: ['SIZE'], read: ([size = '']) => ({ command: 'maxlen', sizeBytes: parseSize(size) }) },
  wscale: { values: ['keep|strip'], read: ([word = '']) => ({ command: 'wscale', keep: parseKeep(word) }) },
  seed: { values: ['NUMBER'], read: ([seed = '']) => ({ command: 'seed', seed: parseCount(seed) }) },
  down: bare('down'),
  up: bare('up'),
  reset: bare('reset'),
};

function parseKeep(word: string): boolean {
  if (word === 'keep' || word === '1') return true;
  if (word === 'strip' || word === '0') return false;
  throw new RangeError(`'${word}' is neither keep nor strip`);
}

const usageOf = (word: string, { values }: Grammar): string => [word, ...values].join(' ');

/** One line a command, for help texts. */
export const linkCommandUsage = (): string[] =>
  Object.entries(GRAMMAR).map(([word, grammar]) => usageOf(word, grammar));

/**
 * Reads the words of a command line, such as `['rate', '10M']`.
 * @throws {LabError} command-refused, with a sentence that names the word at fault
 */
export function parseLinkCommand(words: readonly string[]): LinkCommand {
  const [word = '', ...values] = words;
  const grammar = Object.entries(GRAMMAR).find(([known]) => known === word)?.[1];
  if (!grammar)
    throw new LabError(
      'command-refused',
      `'${word}' is no command of a link; there are ${Object.keys(GRAMMAR).join(', ')}`,
    );
  if (values.length !== grammar.values.length)
    throw new LabError('command-refused', `${word} takes ${grammar.values.length} values: ${usageOf(word, grammar)}`);
  try {
    return grammar.read(values);
  } catch (error) {
    throw new LabError('command-refused', `${word}: ${sentenceOf(error)}`);
  }
}

/** The emulator's line for a command (emulator/command.h): bit/s, microseconds, bytes, ratios. */
export function linkCommandLine(command: LinkCommand, direction?: Direction): string {
  return [...(direction ? [direction] : []), command.command, ...lineValues(command)].join(' ');
}

function lineValues(command: LinkCommand): number[] {
  switch (command.command) {
    case 'rate':
      return [command.rateBps];
    case 'delay':
      return [microseconds(command.delayMs)];
    case 'queue':
      return [command.queueBytes];
    case 'queuetime':
      return [microseconds(command.queueMs)];
    case 'loss':
    case 'dup':
      return [command.ratio];
    case 'reorder':
      return [command.ratio, microseconds(command.extraMs)];
    case 'policer':
      return [command.rateBps, command.burstBytes];
    case 'flowrate':
      return [command.rateBps];
    case 'maxlen':
      return [command.sizeBytes];
    case 'wscale':
      return [command.keep ? 1 : 0];
    case 'seed':
      return [command.seed];
    default:
      return [];
  }
}

const microseconds = (ms: number): number => Number((ms * 1000).toPrecision(12));
