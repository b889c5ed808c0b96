import type { ProbeHost } from '@plumbline/measure';
import { type End, type Ending, ended } from '@plumbline/model';
import { ProbeCallError } from '@plumbline/probe-rpc';
import type { ProbeFacts } from '../probes/probe-facts.js';
import { type AttemptTask, endpointOf, unreachableReason } from './attempt-task.js';

/** What of an attempt its two ends are asked about. */
export type Asked = Pick<AttemptTask, 'path' | 'prepared'>;

/** Why the attempt cannot be carried out, as far as both probes' Inventories tell; undefined: nothing is known against it. */
export function hindrance(task: Asked, facts: Partial<Record<End, ProbeFacts>>): Ending | undefined {
  const { source, destination } = task.path;
  if (source.address.includes(':') !== destination.address.includes(':'))
    return ended('address-family-mismatch', `${source.address} and ${destination.address} differ in version.`);
  for (const end of ['near', 'far'] as const) {
    const known = facts[end];
    const problem = known && (endpointProblem(task, end, known) ?? task.prepared.refuses(end, hostOf(known)));
    if (problem) return problem;
  }
  return undefined;
}

const hostOf = (facts: ProbeFacts): ProbeHost => facts.host;

function endpointProblem(task: Asked, end: End, facts: ProbeFacts): Ending | undefined {
  const wanted = endpointOf(task, end);
  const has = facts.report.endpoints.find((endpoint) => endpoint.name === wanted.endpoint);
  if (!has) return ended('endpoint-unknown', `Probe ${wanted.probe} has no endpoint ${wanted.endpoint}.`);
  if (has.address === wanted.address) return undefined;
  const text = `Endpoint ${wanted.endpoint} of ${wanted.probe} is ${has.address} there and ${wanted.address} here.`;
  return ended('endpoint-mismatch', text);
}

/** The ending that a failed call to that end stands for, before anything was sent. @throws what is not a failed call */
export function callEnding(task: AttemptTask, end: End, error: unknown): Ending {
  if (!(error instanceof ProbeCallError)) throw error;
  if (error.problem === 'unreachable') return ended(unreachableReason(task, end), error.message);
  return ended(error.reason, `The ${end} probe: ${error.message}`);
}
