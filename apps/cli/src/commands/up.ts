import { resolve } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import type { BuildCommand } from '../context.js';
import { wholeNumber } from '../input/options.js';
import type { Environment } from '../output/terminal.js';
import { checkAddress } from '../stack/address.js';
import { chosenServers } from '../stack/external-servers.js';
import type { StackOptions } from '../stack/stack.js';

export const UpFlags = z.object({
  dataDir: z.string(),
  host: z.string(),
  port: z.number(),
  tlsCert: z.string().optional(),
  tlsKey: z.string().optional(),
  behindProxy: z.boolean().default(false),
  demo: z.boolean().default(true),
});
export type UpFlags = z.output<typeof UpFlags>;

export const upCommand: BuildCommand = (context) =>
  serving(new Command('up'))
    .description(
      'Starts the control plane with a Postgres and a Redis of its own (or those of DATABASE_URL and REDIS_URL),\n' +
        'runs the demonstration, and serves until Ctrl-C.',
    )
    .option('--data-dir <dir>', 'where everything is kept', '.plumbline')
    .option('--no-demo', 'serve only')
    .addHelpText('after', EXAMPLES)
    .action(async (raw: unknown) => {
      const flags = UpFlags.parse(raw);
      const options = stackOptions(flags, context.env, context.cwd);
      const { serve } = await import('../stack/serve.js');
      context.endWith(await serve(options, { demo: flags.demo, once: false }, context));
    });

const EXAMPLES = `
Examples:
  $ plumb up --data-dir /var/lib/plumbline --port 7420 --no-demo
  $ plumb up --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --no-demo
Environment: DATABASE_URL and REDIS_URL (both or none) name servers to use instead of our own.
`;

/** Flags of `up` and `start`. */
export const serving = (command: Command): Command =>
  command
    .option('--port <port>', 'port to serve on; 0: any free one', wholeNumber(0, 65_535), 7420)
    .option('--host <address>', 'address to serve on', '127.0.0.1')
    .option('--tls-cert <file>', 'certificate (PEM) for other addresses than loopback')
    .option('--tls-key <file>', 'its key (PEM)')
    .option('--behind-proxy', 'a proxy on this host does the TLS');

/** @throws {Failure} usage, when the flags and the environment do not fit together */
export function stackOptions(flags: Omit<UpFlags, 'demo'>, env: Environment, cwd: string): StackOptions {
  checkAddress(flags);
  const { tlsCert, tlsKey } = flags;
  return {
    dataDir: resolve(cwd, flags.dataDir),
    host: flags.host,
    port: flags.port,
    tls:
      tlsCert === undefined || tlsKey === undefined
        ? undefined
        : { cert: resolve(cwd, tlsCert), key: resolve(cwd, tlsKey) },
    behindProxy: flags.behindProxy,
    servers: chosenServers(env),
  };
}
