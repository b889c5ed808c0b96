import { type End, type Ending, ended } from '@plumbline/model';
import { defineAbility, type ProbeHost } from '../../ability.js';
import { type TraceSpec, trace } from '../../measurements/trace/index.js';
import { mtrDurationMs, mtrPhases } from './argv.js';
import { readMtr } from './read.js';
import { mtr } from './version.js';

/** The far side only answers: its kernel does that, so nothing is asked of it. */
function refuses(_spec: TraceSpec, role: End, host: ProbeHost): Ending | undefined {
  if (role === 'far' || host.tools.mtr !== undefined) return undefined;
  return ended('tool-missing', `mtr is missing on the near host; install the package ${mtr.package}.`);
}

export const traceByMtr = defineAbility(trace, {
  tool: 'mtr',
  refuses,
  near: mtrPhases,
  read: readMtr,
  longestDurationMs: mtrDurationMs,
});

export { mtr } from './version.js';
