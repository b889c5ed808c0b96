import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { mayBePlain, serverUrl } from '../connection/settings.js';
import type { CommandContext } from '../context.js';
import { Failure, sentenceOf, usage } from '../failure.js';
import { plainHttp } from '../input/options.js';

const EnrolFlags = z.object({
  server: z.string(),
  tokenFile: z.string(),
  dataDir: z.string(),
  plainHttp: z.boolean().optional(),
});

/** `plumb probe enrol`: on the probe's own host, with the file that `plumb probe enrolment` wrote. */
export function addEnrol(probe: Command, context: CommandContext): void {
  probe
    .command('enrol')
    .summary("get this host's probe its certificate")
    .description(
      'Makes a key on this host and has the control plane certify it. The token (a file made by plumb probe enrolment)\n' +
        'is good once and for 15 minutes; it pins the authority, so nobody in between can pose as the control plane.',
    )
    .requiredOption('--server <url>', 'address of the control plane')
    .requiredOption('--token-file <file>', 'file with the enrolment token')
    .requiredOption('--data-dir <dir>', "the probe's data folder")
    .addOption(plainHttp())
    .action(async (raw: unknown) => {
      const flags = EnrolFlags.parse(raw);
      const server = serverUrl(flags.server, mayBePlain(flags, context.env));
      const file = resolve(context.cwd, flags.tokenFile);
      const token = await readFile(file, 'utf8').catch((error: unknown) => {
        throw usage(`The token file ${file} cannot be read: ${sentenceOf(error)}.`);
      });
      const { enrol } = await import('@plumbline/probe');
      const dataDir = resolve(context.cwd, flags.dataDir);
      const { name, notAfter } = await enrol({ server, token: token.trim(), dataDir }).catch((error: unknown) => {
        throw new Failure(sentenceOf(error), { cause: error });
      });
      context.out.write(
        `The probe ${name} is enrolled until ${notAfter.toISOString()}; it renews its certificate by itself.\n` +
          `Next: plumb probe --name ${name} --site SITE --listen ADDRESS:7430 --endpoint NAME=ADDRESS --data-dir ${dataDir}\n`,
      );
    });
}
