import type { Command } from 'commander';
import { z } from 'zod';
import type { CommandContext } from '../context.js';
import { usage } from '../failure.js';
import { printsData } from '../input/options.js';
import { printJson } from '../output/print.js';
import { Named, named, sentence, tried } from './lab-flags.js';

const UpFlags = Named.extend({
  rate: z.string().optional(),
  rtt: z.string().optional(),
  queue: z.string().optional(),
  rate1: z.string().optional(),
  delay1: z.string().optional(),
  queue1: z.string().optional(),
  loss1: z.string().optional(),
  rate2: z.string().optional(),
  delay2: z.string().optional(),
  queue2: z.string().optional(),
  loss2: z.string().optional(),
  mtu: z.string().optional(),
  seed: z.string().optional(),
  replace: z.boolean().default(false),
});
type UpFlags = z.output<typeof UpFlags>;

export function addUp(lab: Command, context: CommandContext): void {
  const up = printsData(named(lab.command('up')))
    .summary('make a lab')
    .description(
      'Makes a lab that stays until it is taken down. Unless said otherwise: 100 Mbit/s 2 ms, then 20 Mbit/s 20 ms,\n' +
        '150 KB queues, no loss; 44 ms there and back.',
    )
    .option('--rate <rate>', 'one bottleneck of that rate (with --rtt), such as 200M')
    .option('--rtt <time>', 'its round-trip time, such as 18ms')
    .option('--queue <size>', 'its queue, such as 600KB');
  for (const n of [1, 2])
    up.option(`--rate${n} <rate>`, `rate of link ${n}`)
      .option(`--delay${n} <time>`, `one-way delay of link ${n}`)
      .option(`--queue${n} <size>`, `queue of link ${n}`)
      .option(`--loss${n} <ratio>`, `loss of link ${n}, such as 0.1%`);
  up.option('--mtu <bytes>', 'MTU of every interface')
    .option('--seed <number>', 'makes random loss repeatable')
    .option('--replace', 'take a lab of the same name down first')
    .action(async (raw: unknown) => {
      const flags = UpFlags.parse(raw);
      const { labText, labUp } = await import('@plumbline/lab');
      const options = await pathOptions(flags);
      const made = await tried(() => labUp({ name: flags.name, mode: 'detached', replace: flags.replace, ...options }));
      if (flags.json) printJson(context.out, made);
      else context.out.write(`${labText(made)}\n`);
    });
}

async function pathOptions(flags: UpFlags) {
  const { parseCount, parseDuration, parseRate, parseRatio, parseSize, pathOf } = await import('@plumbline/lab');
  const read = <T>(parse: (text: string) => T, text: string | undefined): T | undefined => {
    try {
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      throw usage(sentence(error));
    }
  };
  const link = (rate?: string, delay?: string, queue?: string, loss?: string) => ({
    rateBps: read(parseRate, rate),
    delayMs: read(parseDuration, delay),
    queueBytes: read(parseSize, queue),
    lossRatio: read(parseRatio, loss),
  });
  const others = { mtuBytes: read(parseSize, flags.mtu), seed: read(parseCount, flags.seed) };
  if (flags.rate === undefined && flags.rtt === undefined && flags.queue === undefined)
    return {
      link1: link(flags.rate1, flags.delay1, flags.queue1, flags.loss1),
      link2: link(flags.rate2, flags.delay2, flags.queue2, flags.loss2),
      ...others,
    };
  const perLink = [flags.rate1, flags.delay1, flags.queue1, flags.loss1, flags.rate2, flags.delay2, flags.queue2];
  if (perLink.some((f) => f !== undefined))
    throw usage('--rate, --rtt and --queue describe the whole path; give them, or those of each link.');
  const [rateBps, rttMs] = [read(parseRate, flags.rate), read(parseDuration, flags.rtt)];
  if (rateBps === undefined || rttMs === undefined)
    throw usage(
      'A path of one bottleneck needs its rate and its round-trip time.',
      'plumb lab up --rate 200M --rtt 18ms',
    );
  const path = pathOf(rateBps, rttMs, read(parseSize, flags.queue));
  return { ...path, link2: { ...path.link2, lossRatio: read(parseRatio, flags.loss2) }, ...others };
}
