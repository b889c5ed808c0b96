import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptOutput, PreparedAbility, Reading } from '@plumbline/measure';
import { type Artifact, type End, type Ending, ended, type SocketSample } from '@plumbline/model';
import type { PostgresArtifactStore } from '../../persistence/postgres-artifact-store.js';
import type { ProbeConnections } from '../probes/probe-connections.js';
import { TIMING } from '../timing.js';
import { attemptOutput, phasesOf } from './attempt-output.js';
import { type AttemptTask, ENDS, targetOf } from './attempt-task.js';
import type { EndRecord } from './end-record.js';
import type { Snapshots } from './snapshots.js';

/** What an attempt left behind, before it is read. */
export interface Leavings {
  readonly records: readonly EndRecord[];
  readonly samples: readonly SocketSample[];
  readonly before: Snapshots;
  readonly ending: Ending;
}

/** What the parser makes of it. A parser that fails is a mistake of ours: the bytes are kept, the reading can be replayed. */
export function readLeavings(task: AttemptTask, { records, samples, before, ending }: Leavings): Reading {
  return readOutput(task.prepared, task.plan.tool, attemptOutput(records, samples, before, ending));
}

/** The same of any output, also one that is read again. Never throws. */
export function readOutput(prepared: PreparedAbility, tool: string, output: AttemptOutput): Reading {
  const { ending } = output;
  try {
    return prepared.read(output);
  } catch (error) {
    const detail = `The parser of ${tool} failed: ${error instanceof Error ? error.message : error}`;
    const unreadable = ending.outcome === 'completed' ? ended('output-unreadable', detail) : ending;
    return { ending: unreadable, metrics: [], result: null, notes: [detail] };
  }
}

/** Those samples that are of data sockets, now that all is known of the programs. */
export function dataSamples(task: AttemptTask, { records, samples }: Leavings): SocketSample[] {
  const phases = records.flatMap(phasesOf);
  return samples.filter((sample) => task.prepared.isDataSocket(sample, phases));
}

/** Stores every artifact's bytes. @returns them with their size and SHA-256, to be tied to the attempt */
export async function keepBytes(store: PostgresArtifactStore, records: readonly EndRecord[]): Promise<Artifact[]> {
  const collected = records.flatMap((record) => record.artifacts);
  const stored = await store.putAllBytes(collected.map(({ bytes }) => bytes));
  return collected.flatMap(({ artifact }, i) => (stored[i] ? [{ ...artifact, ...stored[i] }] : []));
}

/** Lets both probes forget the attempt, in the background. One that is away is asked again for a while; then a sweep makes it good. */
export function acknowledge(connections: ProbeConnections, task: AttemptTask): void {
  for (const end of ENDS) void acknowledgeAt(connections, task, end);
}

async function acknowledgeAt(connections: ProbeConnections, task: AttemptTask, end: End): Promise<void> {
  // Ends: when the probe has answered, or after five tries.
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      const connection = await connections.to(targetOf(task, end));
      await connection.acknowledge({ attemptId: task.id }, { deadlineMs: 2_000 });
      return;
    } catch {
      await sleep(1_000, undefined, { ref: false });
    }
  }
}

/** Tells one probe to end the attempt now. @returns whether it answered */
export async function stopAt(
  connections: ProbeConnections,
  task: AttemptTask,
  end: End,
  reason: string,
): Promise<boolean> {
  try {
    const connection = await connections.to(targetOf(task, end));
    await connection.stop({ attemptId: task.id, reason }, { deadlineMs: TIMING.stopMs });
    return true;
  } catch {
    return false;
  }
}
