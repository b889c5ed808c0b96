import { Command } from 'commander';
import { z } from 'zod';
import type { BuildCommand, CommandContext } from '../context.js';
import { EXIT, Failure, usage } from '../failure.js';
import { printsData } from '../input/options.js';
import { printJson } from '../output/print.js';
import { table } from '../output/table.js';
import { Named, named, sentence, tried } from './lab-flags.js';
import { addUp } from './lab-up.js';

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
