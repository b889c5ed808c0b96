import { type End, type Ending, ended } from '@plumbline/model';
import type { PhaseOutput, ProbeHost } from '../../ability.js';
import { complaintOf } from './parse.js';
import { hping3, mayOpenRawSockets } from './version.js';

/** Why this host cannot send SYNs; the far side only has a kernel that answers, so nothing is asked of it. */
export function refusesSyns(_spec: unknown, role: End, host: ProbeHost): Ending | undefined {
  if (role === 'far') return undefined;
  if (host.tools.hping3 === undefined)
    return ended('tool-missing', `hping3 is missing on the near host; install the package ${hping3.package}.`);
  if (mayOpenRawSockets(host)) return undefined;
  return ended('parameter-unsupported', 'hping3 needs root on the near host: it opens raw sockets.');
}

/** How an attempt of SYNs ended, its numbers aside; undefined: with nothing against it. Exit code 1 only means no answer. */
export function endingOfSyns(
  seen: Ending,
  phase: PhaseOutput | undefined,
  sent: number | undefined,
): Ending | undefined {
  if (seen.outcome !== 'completed' && seen.reason !== 'tool-failed') return seen;
  if (!phase) return seen.outcome === 'completed' ? ended('output-empty') : seen;
  if (phase.signal !== null) return ended('tool-killed', `hping3 was ended by ${phase.signal}.`);
  if (sent !== undefined) return undefined;
  const complaint = complaintOf(phase.stderr);
  if (complaint === undefined)
    return ended(`${phase.stdout}${phase.stderr}`.trim() === '' ? 'output-empty' : 'output-unreadable');
  if (/unable to resolve|invalid address/i.test(complaint))
    return ended('parameter-unsupported', `hping3 speaks IPv4 only, and said: ${complaint}`);
  if (/unreachable|no route/i.test(complaint)) return ended('no-route', `hping3: ${complaint}`);
  return ended('tool-failed', `hping3: ${complaint}`);
}
