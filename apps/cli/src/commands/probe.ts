import { resolve } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import type { BuildCommand } from '../context.js';
import { EXIT, usage } from '../failure.js';
import { collect } from '../input/options.js';
import { addEnrol } from './probe-enrol.js';
import { addRegistry } from './probe-registry.js';

/** Optional for commander, which would ask for them in `plumb probe list` too. */
const AgentFlags = z.object({
  name: z.string().optional(),
  site: z.string().optional(),
  listen: z.string().optional(),
  endpoint: z.array(z.string()).optional(),
  dataDir: z.string().optional(),
  portRange: z.string().optional(),
  logLevel: z.string().optional(),
});
type AgentFlags = z.output<typeof AgentFlags>;

const NEEDED = ['name', 'site', 'listen', 'endpoint', 'dataDir'] as const;
const FLAGS = { name: '--name', site: '--site', listen: '--listen', endpoint: '--endpoint', dataDir: '--data-dir' };
const EXAMPLE =
  'plumb probe --name berlin --site ber --listen 10.0.0.5:7430 --endpoint lan=10.0.0.5 --data-dir /var/lib/plumbline-probe';

export const probeCommand: BuildCommand = (context) => {
  const probe = new Command('probe')
    .description(
      'With flags: runs a probe on this host until Ctrl-C.\nWith a command: what the control plane knows of its probes.',
    )
    .enablePositionalOptions()
    .option('--name <name>', 'name of the probe')
    .option('--site <site>', 'name of the site it is at')
    .option('--listen <address>', 'host:port (mutual TLS; enrol first), or unix:FILE')
    .option('--endpoint <name=address>', 'a test address, NAME=ADDRESS or NAME=ADDRESS@INTERFACE (repeat)', collect)
    .option('--data-dir <dir>', 'where the probe keeps its key, fences and spool')
    .option('--port-range <low-high>', 'ports of its test servers (default 5300-5999)')
    .option('--log-level <level>', 'silent, error, warn, info or debug')
    .addHelpText('after', `\nExample:\n  $ ${EXAMPLE}\n`)
    .action(async (raw: unknown) => {
      const flags = AgentFlags.parse(raw);
      const options = agentOptions(flags, context.cwd);
      const { main } = await import('@plumbline/probe');
      if ((await main(options)) !== 0) context.endWith(EXIT.failed);
    });
  addEnrol(probe, context);
  addRegistry(probe, context);
  return probe;
};

function agentOptions(flags: AgentFlags, cwd: string) {
  const missing = NEEDED.filter((name) => flags[name] === undefined).map((name) => FLAGS[name]);
  const { name, site, listen, endpoint, dataDir, portRange, logLevel } = flags;
  if (!name || !site || !listen || !endpoint || !dataDir)
    throw usage(`A probe needs ${missing.length > 0 ? missing.join(', ') : 'values for all of its flags'}.`, EXAMPLE);
  return {
    name,
    site,
    // The probe wants an absolute path; at a prompt a relative one is what people type.
    listen: listen.startsWith('unix:') ? `unix:${resolve(cwd, listen.slice('unix:'.length))}` : listen,
    endpoints: endpoint,
    dataDir: resolve(cwd, dataDir),
    ...(portRange === undefined ? {} : { portRange }),
    ...(logLevel === undefined ? {} : { logLevel }),
  };
}
