import { Command } from 'commander';
import { z } from 'zod';
import type { BuildCommand, CommandContext } from '../context.js';
import { EXIT, Failure, sentenceOf, usage } from '../failure.js';
import { printsData } from '../input/options.js';
import { printJson } from '../output/print.js';
import { table } from '../output/table.js';

const Named = z.object({ name: z.string(), json: z.boolean().default(false) });

export const labCommand: BuildCommand = (context) => {
  const lab = new Command('lab').description(
    'Paths with known answers: client - link 1 - router - link 2 - server, each host a network namespace.\n' +
      'Needs root. Labs of different names run side by side.',
  );
  // So that the flags of a program behind `exec HOST` are the program's.
  lab.enablePositionalOptions();
  addUp(lab, context);
  named(lab.command('down'))
    .summary('take a lab down')
    .description('Takes a lab down: nothing of it is left, also after a kill.')
    .option('--all', 'all labs')
    .action(async (raw: unknown) => {
      const flags = Named.extend({ all: z.boolean().default(false) }).parse(raw);
      const { allLabsDown, labDown } = await import('@plumbline/lab');
      const gone = await tried(() =>
        flags.all ? allLabsDown() : labDown(flags.name).then((was) => (was ? [flags.name] : [])),
      );
      context.out.write(gone.length > 0 ? `Taken down: ${gone.join(', ')}\n` : 'There was no lab to take down.\n');
    });
  addSet(lab, context);
  addExec(lab, context);
  printsData(named(lab.command('status')))
    .summary('show what a lab is doing')
    .description('Shows the settings and counters of both links.')
    .action(async (raw: unknown) => {
      const flags = Named.parse(raw);
      const { labStatus, labStatusText } = await import('@plumbline/lab');
      const status = await tried(() => labStatus(flags.name));
      if (flags.json) printJson(context.out, status);
      else context.out.write(`${labStatusText(status)}\n`);
      if (status.state !== 'up') context.endWith(EXIT.failed);
    });
  printsData(lab.command('list'))
    .summary('list labs')
    .description('Lists the labs of this host.')
    .action(async (raw: unknown) => {
      const { listLabs } = await import('@plumbline/lab');
      const names = await tried(() => listLabs());
      if (z.object({ json: z.boolean().default(false) }).parse(raw).json)
        return printJson(context.out, { items: names });
      if (names.length === 0) return context.out.write('There are no labs. Next: plumb lab up\n');
      context.out.write(
        table(
          context.out,
          [{ title: 'name' }],
          names.map((name) => [name]),
        ),
      );
    });
  return lab;
};

const named = (command: Command): Command => command.option('--name <name>', 'which lab', 'lab');

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

function addUp(lab: Command, context: CommandContext): void {
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

function addSet(lab: Command, context: CommandContext): void {
  named(lab.command('set'))
    .argument('<link>', '1 or 2')
    .argument('<words...>', 'a command of the link, after ab or ba for one direction only')
    .summary('change a link while it runs')
    .description('Changes a link while it runs; both directions unless ab (client to server) or ba comes first.')
    .addHelpText('after', '\nExamples:\n  $ plumb lab set 2 rate 10M\n  $ plumb lab set 2 ab loss 0.1%\n')
    .action(async (link: string, words: string[], raw: unknown) => {
      const flags = Named.parse(raw);
      const { labSet, linkCommandUsage, parseLink, parseLinkCommand } = await import('@plumbline/lab');
      const [first, ...rest] = words;
      const direction = first === 'ab' || first === 'ba' ? first : undefined;
      const asked = direction === undefined ? words : rest;
      const [number, command] = await understood(
        () => [parseLink(link), parseLinkCommand(asked)] as const,
        () => linkCommandUsage().join(', '),
      );
      await tried(() => labSet(flags.name, number, direction, command));
      context.out.write(`Link ${number}${direction === undefined ? '' : ` ${direction}`}: ${asked.join(' ')}\n`);
    });
}

async function understood<T>(parse: () => T, hint: () => string): Promise<T> {
  try {
    return parse();
  } catch (error) {
    throw usage(sentence(error), `one of: ${hint()}`);
  }
}

function addExec(lab: Command, context: CommandContext): void {
  named(lab.command('exec'))
    .argument('<host>', 'client, router or server')
    .argument('<command...>', 'program and arguments')
    .passThroughOptions()
    .summary('run a command on a host of a lab')
    .description('Runs a command on a host of a lab, in place of this program: its exit code is the result.')
    .addHelpText('after', '\nExample:\n  $ plumb lab exec client -- ping -c 3 192.0.2.66\n')
    .action(async (host: string, argv: string[], raw: unknown) => {
      const flags = Named.parse(raw);
      const { labArgv, labStatus, parseHost } = await import('@plumbline/lab');
      const { findProgram } = await import('@plumbline/process');
      const inside = await tried(async () => {
        await labStatus(flags.name);
        return labArgv(flags.name, parseHost(host), argv[0] === '--' ? argv.slice(1) : argv);
      });
      const env = findProgram('env');
      if (env === undefined || process.execve === undefined)
        throw new Failure('This needs the program env and Node 24.', { next: 'npm run build' });
      // Not a child: the terminal, signals and exit code are the command's own. Node ignores SIGPIPE; env undoes that.
      process.execve(env, ['env', '--default-signal', ...inside], definedOf(context.env));
    });
}

const definedOf = (env: CommandContext['env']): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((e): e is [string, string] => e[1] !== undefined));

/** The lab's own sentences say what to do. */
async function tried<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.name === 'LabError') throw new Failure(sentence(error), { cause: error });
    throw error;
  }
}

const sentence = (error: unknown): string => {
  const text = sentenceOf(error);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
};
