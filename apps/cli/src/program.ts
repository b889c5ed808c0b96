import { Command } from 'commander';
import type { BuildCommand, CommandContext } from './context.js';

interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<BuildCommand>;
}

/** In the order of the help. Only the one that was asked for is loaded, so that `plumb --help` is there at once. */
const COMMANDS: readonly Entry[] = [
  {
    name: 'up',
    summary: 'start the control plane with its own Postgres and Redis, and serve',
    load: async () => (await import('./commands/up.js')).upCommand,
  },
  {
    name: 'start',
    summary: 'what npm start does: up, with the demonstration',
    load: async () => (await import('./commands/start.js')).startCommand,
  },
  {
    name: 'probe',
    summary: 'run a probe on this host; register, enrol and list probes',
    load: async () => (await import('./commands/probe.js')).probeCommand,
  },
  {
    name: 'site',
    summary: 'the places where probes are',
    load: async () => (await import('./commands/site.js')).siteCommand,
  },
  {
    name: 'path',
    summary: 'ordered pairs of endpoints, with their contracts',
    load: async () => (await import('./commands/path.js')).pathCommand,
  },
  {
    name: 'plan',
    summary: 'named lists of tests',
    load: async () => (await import('./commands/plan.js')).planCommand,
  },
  {
    name: 'run',
    summary: 'run a plan over paths; list, show, cancel runs',
    load: async () => (await import('./commands/run.js')).runCommand,
  },
  {
    name: 'reparse',
    summary: 'read stored output again, with the parsers of this version',
    load: async () => (await import('./commands/reparse.js')).reparseCommand,
  },
  {
    name: 'diagnose',
    summary: 'say again what limits the flows of a run, by the rules of this version',
    load: async () => (await import('./commands/diagnose.js')).diagnoseCommand,
  },
  {
    name: 'advise',
    summary: 'what to change at the two ends of a path, from what a run found',
    load: async () => (await import('./commands/advise.js')).adviseCommand,
  },
  {
    name: 'lab',
    summary: 'emulated paths with known answers, in network namespaces',
    load: async () => (await import('./commands/lab.js')).labCommand,
  },
];

/**
 * The command line for these arguments: the command they name is whole, the others are there with their summary only.
 * @throws what loading the command throws
 */
export async function buildProgram(argv: readonly string[], context: CommandContext): Promise<Command> {
  const wantsVersion = argv.some((a) => a === '-V' || a === '--version');
  const version = wantsVersion ? (await import('@plumbline/model')).VERSION : '';
  const program = new Command('plumb')
    .description('Plumbline measures what one flow gets on a network path, and says what holds it back.')
    .version(version, '-V, --version', 'print the version')
    // Flags behind a command's name are that command's: `plumb run list --json`.
    .enablePositionalOptions()
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', EXAMPLES);
  const words = argv.filter((a) => !a.startsWith('-'));
  const asked = words[0] === 'help' ? words[1] : words[0];
  for (const entry of COMMANDS) {
    const command = entry.name === asked ? (await entry.load())(context) : new Command(entry.name);
    program.addCommand(command.summary(entry.summary));
  }
  prepare(program, context);
  return program;
}

const EXAMPLES = `
First steps:
  $ plumb up --data-dir .plumbline --port 7420     in one terminal
  $ plumb run list                                 in another
Environment: PLUMBLINE_SERVER, PLUMBLINE_TOKEN or PLUMBLINE_TOKEN_FILE, PLUMBLINE_PLAIN_HTTP, NO_COLOR.
`;

/** Every command writes through the context, throws instead of exiting, and names its own help after a mistake. */
function prepare(command: Command, context: CommandContext, path = command.name()): void {
  command.exitOverride((error) => {
    throw error;
  });
  command.configureOutput({
    writeOut: (text) => context.out.write(text),
    writeErr: (text) => context.err.write(text),
    getOutHelpWidth: () => Math.min(context.out.columns(), 100),
    getErrHelpWidth: () => Math.min(context.err.columns(), 100),
    getOutHasColors: () => context.out.colour,
    getErrHasColors: () => context.err.colour,
    outputError: (text, write) => write(text.replace(/^error: /, 'plumb: ')),
  });
  command.showHelpAfterError(`  Next: ${path} --help`);
  for (const sub of command.commands) prepare(sub, context, `${path} ${sub.name()}`);
}
