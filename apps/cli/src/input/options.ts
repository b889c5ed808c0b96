import { type Command, InvalidArgumentError, Option } from 'commander';

/** Flags of every command that talks to a control plane. */
export const connected = (command: Command): Command =>
  command
    .addOption(new Option('--server <url>', 'address of the control plane').env('PLUMBLINE_SERVER'))
    .option(
      '--token-file <file>',
      'file with the token (else PLUMBLINE_TOKEN, PLUMBLINE_TOKEN_FILE, .plumbline/admin.token)',
    )
    .addOption(plainHttp());

/** For networks that nobody else is on, such as that of a compose file. */
export const plainHttp = (): Option =>
  new Option('--plain-http', 'send tokens to other hosts without TLS (also PLUMBLINE_PLAIN_HTTP=1)');

/** `--json` of every command that prints data. */
export const printsData = (command: Command): Command =>
  command.option('--json', 'print JSON, as the control plane gave it');

/** For an option that may be given several times. */
export const collect = (value: string, earlier: string[] | undefined): string[] => [...(earlier ?? []), value];

/** A whole number from `least` to `most`. @throws {InvalidArgumentError} which commander turns into a usage error */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value) || value < least || value > most)
      throw new InvalidArgumentError(`A whole number from ${least} to ${most} is expected.`);
    return value;
  };

/** A number of at least 0. @throws {InvalidArgumentError} which commander turns into a usage error */
export const number = (text: string): number => {
  if (!/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) throw new InvalidArgumentError('A number is expected.');
  return Number(text);
};

const TIME_UNITS: Readonly<Record<string, number>> = { us: 1e-3, ms: 1, s: 1e3, '': 1 };

/** A time in ms: `18`, `18ms`, `0.5s`, `800us`; a bare number is ms. @throws {InvalidArgumentError} */
export const timeMs = (text: string): number => {
  const [, value, unit] = /^(\d+(?:\.\d+)?)\s*(us|ms|s)?$/i.exec(text.trim()) ?? [];
  const factor = TIME_UNITS[unit?.toLowerCase() ?? ''];
  if (value === undefined || factor === undefined)
    throw new InvalidArgumentError('A time is expected, such as 18ms or 18 (milliseconds).');
  return Number((Number(value) * factor).toPrecision(12));
};

const RATE_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** A rate in bit/s: `200M`, `1.5G`, `64k`, `200Mbit/s`, `200000000`; powers of 1000. @throws {InvalidArgumentError} */
export const rateBps = (text: string): number => {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:bit(?:\/s)?|bps)?$/i.exec(text.trim());
  const factor = RATE_UNITS[match?.[2]?.toLowerCase() ?? 'none'];
  if (match?.[1] === undefined || factor === undefined || Number(match[1]) === 0)
    throw new InvalidArgumentError('A rate is expected, such as 200M or 1.5G (bits a second).');
  return Math.round(Number(match[1]) * factor);
};

/** `NAME=VALUE`. @throws {InvalidArgumentError} */
export const pair = (text: string): [name: string, value: string] => {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('NAME=VALUE is expected.');
  return [text.slice(0, at), text.slice(at + 1)];
};
