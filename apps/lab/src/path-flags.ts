import { LabError, sentenceOf } from './lab-error.js';
import { parseCount, parseDuration, parseRate, parseRatio, parseSize } from './quantities.js';
import { type LinkOptions, type PathOptions, pathOf } from './topology.js';

/** The path of `plumb lab up` as it stands on the command line: each link by itself, or one rate and one RTT. */
export interface PathFlags {
  rate1?: string;
  delay1?: string;
  loss1?: string;
  rate2?: string;
  delay2?: string;
  loss2?: string;
  /** Of both links; with `rate` and `rtt` of the one that they describe. */
  queue?: string;
  rate?: string;
  rtt?: string;
  mtu?: string;
  seed?: string;
}

const EACH_LINK = ['rate1', 'delay1', 'loss1', 'rate2', 'delay2'] as const;

/** Reads the flags. @throws {LabError} invalid-options with the flag at fault */
export function parsePathFlags(flags: PathFlags): PathOptions {
  const read = <T>(flag: keyof PathFlags, parse: (text: string) => T): T | undefined => {
    const text = flags[flag];
    try {
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      throw new LabError('invalid-options', `--${flag}: ${sentenceOf(error)}`);
    }
  };
  const [queueBytes, lossRatio] = [read('queue', parseSize), read('loss2', parseRatio)];
  const rest = { mtuBytes: read('mtu', parseCount), seed: read('seed', parseCount) };
  const whole = readWhole(flags, read('rate', parseRate), read('rtt', parseDuration), queueBytes);
  if (whole) return { ...whole, link2: { ...whole.link2, ...(lossRatio === undefined ? {} : { lossRatio }) }, ...rest };
  const link1: LinkOptions = {
    rateBps: read('rate1', parseRate),
    delayMs: read('delay1', parseDuration),
    lossRatio: read('loss1', parseRatio),
    queueBytes,
  };
  const link2: LinkOptions = {
    rateBps: read('rate2', parseRate),
    delayMs: read('delay2', parseDuration),
    lossRatio,
    queueBytes,
  };
  return { link1, link2, ...rest };
}

/** The one-rate path, when it is asked for. */
function readWhole(flags: PathFlags, rateBps?: number, rttMs?: number, queueBytes?: number): PathOptions | undefined {
  if (rateBps === undefined && rttMs === undefined) return undefined;
  if (rateBps === undefined || rttMs === undefined)
    throw new LabError('invalid-options', '--rate and --rtt belong together: --rate 200M --rtt 18ms');
  const other = EACH_LINK.find((flag) => flags[flag] !== undefined);
  if (other)
    throw new LabError(
      'invalid-options',
      `--${other} describes one link and --rate the whole path; use one or the other`,
    );
  return pathOf(rateBps, rttMs, queueBytes);
}
