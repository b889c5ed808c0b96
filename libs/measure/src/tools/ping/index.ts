import { type End, type Ending, ended } from '@plumbline/model';
import { defineAbility, type ProbeHost } from '../../ability.js';
import { type RttSpec, rtt } from '../../measurements/rtt/index.js';
import { atLeast } from '../../tool.js';
import { rttDurationMs, rttPhase } from './argv.js';
import { read } from './read.js';
import { BUSYBOX_OLDEST, ping, pingCan } from './version.js';

/** The far side only answers echoes: its kernel does that, so nothing is asked of it. */
function refuses(spec: RttSpec, role: End, host: ProbeHost): Ending | undefined {
  if (role === 'far') return undefined;
  if (host.tools.ping === undefined)
    return ended('tool-missing', `ping is missing on the near host; install the package ${ping.package}.`);
  const can = pingCan(host);
  if (can.flavour === 'busybox' && !atLeast(can.version, BUSYBOX_OLDEST))
    return ended(
      'tool-too-old',
      `The ping of BusyBox ${can.version} has no interval; BusyBox ${BUSYBOX_OLDEST} or the package ${ping.package} is needed.`,
    );
  if (spec.intervalS >= can.smallestIntervalS) return undefined;
  const which = `${can.flavour} ${can.version ?? 'of unknown version'}`;
  return ended(
    'parameter-unsupported',
    `ping (${which}) refuses intervals below ${can.smallestIntervalS} s to users other than root; intervalS is ${spec.intervalS}.`,
  );
}

export const rttByPing = defineAbility(rtt, {
  tool: 'ping',
  refuses,
  near: (spec, _host, input) => [rttPhase(spec, input)],
  read,
  longestDurationMs: (spec) => rttDurationMs(spec) + 2_000,
});

export { pathMtuByPing } from './path-mtu.js';
export { ping } from './version.js';
