import { expect, test } from 'vitest';
import { LabError } from '../src/lab-error.js';
import { linkCommandLine, linkCommandUsage, parseLinkCommand } from '../src/link-command.js';

test.each([
  ['rate 10M', 'rate 10000000'],
  ['delay 2ms', 'delay 2000'],
  ['delay 0.3ms', 'delay 300'],
  ['queue 150KB', 'queue 150000'],
  ['queuetime 50ms', 'queuetime 50000'],
  ['loss 0.1%', 'loss 0.001'],
  ['dup 5%', 'dup 0.05'],
  ['reorder 1% 5ms', 'reorder 0.01 5000'],
  ['policer 5M 30KB', 'policer 5000000 30000'],
  ['flowrate 5M', 'flowrate 5000000'],
  ['flowrate 0', 'flowrate 0'],
  ['maxlen 1400', 'maxlen 1400'],
  ['wscale strip', 'wscale 0'],
  ['wscale keep', 'wscale 1'],
  ['seed 7', 'seed 7'],
  ['down', 'down'],
  ['up', 'up'],
  ['reset', 'reset'],
])('plumb lab set 1 %s', (words, line) => {
  expect(linkCommandLine(parseLinkCommand(words.split(' ')))).toBe(line);
  expect(linkCommandLine(parseLinkCommand(words.split(' ')), 'ba')).toBe(`ba ${line}`);
});

test.each([
  ['', /is no command of a link; there are rate, delay/],
  ['speed 10M', /'speed' is no command/],
  ['constructor 1', /'constructor' is no command/],
  ['rate', /rate takes 1 values: rate RATE/],
  ['rate 10M 20M', /rate takes 1 values/],
  ['rate fast', /rate: 'fast' is not a rate/],
  ['wscale maybe', /neither keep nor strip/],
  ['down now', /down takes 0 values/],
])('%j is refused', (words, sentence) => {
  const read = (): unknown => parseLinkCommand(words.split(' '));
  expect(read).toThrow(LabError);
  expect(read).toThrow(sentence);
});

test('the usage names every command with its values', () => {
  expect(linkCommandUsage()).toContain('policer RATE SIZE');
  expect(linkCommandUsage()).toHaveLength(15);
});
