import { type End, type Ending, ended } from '@plumbline/model';
import { defineAbility, type ProbeHost } from '../../ability.js';
import { type PathMtuSpec, pathMtu } from '../../measurements/path-mtu/index.js';
import { pathMtuDurationMs, pathMtuPhases } from './path-mtu-argv.js';
import { readPathMtu } from './path-mtu-read.js';
import { ping, pingCan } from './version.js';

/** The far side only answers echoes: its kernel does that, so nothing is asked of it. */
function refuses(_spec: PathMtuSpec, role: End, host: ProbeHost): Ending | undefined {
  if (role === 'far') return undefined;
  if (host.tools.ping === undefined)
    return ended('tool-missing', `ping is missing on the near host; install the package ${ping.package}.`);
  if (pingCan(host).flavour === 'iputils') return undefined;
  return ended(
    'parameter-unsupported',
    `This ping cannot forbid fragmentation (-M do); install the package ${ping.package}.`,
  );
}

export const pathMtuByPing = defineAbility(pathMtu, {
  tool: 'ping',
  alsoUses: ['tracepath'],
  refuses,
  near: pathMtuPhases,
  read: readPathMtu,
  longestDurationMs: pathMtuDurationMs,
});
