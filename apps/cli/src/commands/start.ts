import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { z } from 'zod';
import type { BuildCommand } from '../context.js';
import { serving, stackOptions, UpFlags } from './up.js';

const StartFlags = UpFlags.omit({ demo: true }).extend({ once: z.boolean().default(false) });

/** The folder of package.json: four up from dist/commands/ (and from src/commands/). */
const workspace = fileURLToPath(new URL('../../../../', import.meta.url));

export const startCommand: BuildCommand = (context) =>
  serving(new Command('start'))
    .description('Starts everything, runs the demonstration, and goes on serving. What npm start does.')
    .option('--data-dir <dir>', 'where everything is kept', join(workspace, '.plumbline'))
    .option('--once', 'end after the demonstration; exit code 0 only if it succeeded')
    .action(async (raw: unknown) => {
      const flags = StartFlags.parse(raw);
      const options = stackOptions(flags, context.env, context.cwd);
      const { serve } = await import('../stack/serve.js');
      context.endWith(await serve(options, { demo: true, once: flags.once }, context));
    });
