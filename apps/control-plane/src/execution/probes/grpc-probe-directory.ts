import { Injectable } from '@nestjs/common';
import { type HostSnapshot, type ProblemCode, ProblemError } from '@plumbline/model';
import { ProbeCallError, type RawFact } from '@plumbline/probe-rpc';
import { ProbeDirectory, type ProbeReport } from '../../persistence/seams.js';
import { Catalogue } from '../catalogue.js';
import { TIMING } from '../timing.js';
import { Inventories } from './inventories.js';
import { ProbeConnections } from './probe-connections.js';
import type { ProbeTarget } from './probe-facts.js';

/** A snapshot as the probe sent it, and as it was read. */
export interface TakenSnapshot {
  readonly facts: readonly RawFact[];
  readonly snapshot: HostSnapshot;
}

@Injectable()
export class GrpcProbeDirectory extends ProbeDirectory {
  constructor(
    private readonly connections: ProbeConnections,
    private readonly inventories: Inventories,
    private readonly catalogue: Catalogue,
  ) {
    super();
  }

  async inventory(probe: ProbeTarget): Promise<ProbeReport> {
    return asProblem(probe, async () => (await this.inventories.ask(probe, { deadlineMs: TIMING.snapshotMs })).report);
  }

  async snapshot(probe: ProbeTarget, endpoint: string, peerAddress?: string): Promise<HostSnapshot> {
    return asProblem(probe, async () => (await this.takeSnapshot(probe, endpoint, peerAddress ?? '')).snapshot);
  }

  /** @throws {ProbeCallError} */
  async takeSnapshot(
    probe: ProbeTarget,
    endpoint: string,
    peerAddress: string,
    signal?: AbortSignal,
  ): Promise<TakenSnapshot> {
    const { facts, takenAt } = await this.facts(probe, { endpoint, peerAddress }, signal);
    return this.readFacts(facts, takenAt);
  }

  /**
   * A snapshot in two parts, so that reading it does not hold up a test: counters and sysctls now, and what needs a program
   * (route, qdisc, offloads: a test does not change them) once `later` resolves. Where both tell a fact, the first holds.
   * @throws {ProbeCallError}
   */
  async takeSnapshotInParts(
    probe: ProbeTarget,
    endpoint: string,
    peerAddress: string,
    later: Promise<void>,
    signal?: AbortSignal,
  ): Promise<TakenSnapshot> {
    const first = await this.facts(probe, { endpoint, peerAddress, filesOnly: true }, signal);
    await later;
    const second = await this.facts(probe, { endpoint, peerAddress }, signal).catch(() => ({
      facts: [],
      takenAt: undefined,
    }));
    const known = new Set(first.facts.map(({ key }) => key));
    const both = this.readFacts([...first.facts, ...second.facts.filter(({ key }) => !known.has(key))], first.takenAt);
    return {
      ...both,
      snapshot: countedFirst(both.snapshot, this.readFacts(first.facts, first.takenAt), second.takenAt),
    };
  }

  private readFacts(facts: readonly RawFact[], takenAt: Date | undefined): TakenSnapshot {
    return { facts, snapshot: this.catalogue.readFacts(facts, takenAt ?? new Date()) };
  }

  private async facts(
    probe: ProbeTarget,
    request: { endpoint: string; peerAddress: string; filesOnly?: boolean },
    signal?: AbortSignal,
  ) {
    const connection = await this.connections.to(probe);
    return connection.snapshot(request, { deadlineMs: TIMING.snapshotMs, ...(signal ? { signal } : {}) });
  }
}

/** The interface's counters as they were at first: a program that tells more of them read those while the test ran. */
function countedFirst(both: HostSnapshot, { snapshot: first }: TakenSnapshot, later: Date | undefined): HostSnapshot {
  const counted = both.interface && { ...both.interface, counters: first.interface?.counters };
  return { ...both, interface: counted, ...(later ? { programsTakenAt: later.toISOString() } : {}) };
}

/** Translates what a call to a probe threw into the problem that a caller of the API can act on. */
async function asProblem<T>(probe: ProbeTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProbeCallError)) throw error;
    throw new ProblemError(problemCode(error), `Probe ${probe.name} at ${probe.address}: ${error.message}`);
  }
}

function problemCode({ problem, reason }: ProbeCallError): ProblemCode {
  if (problem === 'incompatible') return 'probe-incompatible';
  if (reason === 'probe-identity-mismatch') return 'probe-identity-mismatch';
  if (reason === 'endpoint-unknown') return 'endpoint-mismatch';
  return problem === 'internal' ? 'internal-error' : 'probe-unreachable';
}
