import { Injectable } from '@nestjs/common';
import { ended, VERSION } from '@plumbline/model';
import { ProbeCallError } from '@plumbline/probe-rpc';
import { TIMING } from '../timing.js';
import { ProbeConnections } from './probe-connections.js';
import { type ProbeFacts, type ProbeTarget, readInventory } from './probe-facts.js';
import { reaching } from './reaching.js';

/** What probes said of themselves, kept for a short while: an attempt must not wait for an Inventory each time. */
@Injectable()
export class Inventories {
  private readonly known = new Map<string, { facts: ProbeFacts; address: string; atMs: number }>();

  constructor(private readonly connections: ProbeConnections) {}

  /** A fresh enough Inventory. @throws {ProbeCallError} unreachable, refused or incompatible */
  async of(target: ProbeTarget, signal?: AbortSignal): Promise<ProbeFacts> {
    const known = this.known.get(target.name);
    if (known && known.address === target.address && performance.now() - known.atMs <= TIMING.inventoryAgeMs)
      return known.facts;
    return reaching((deadlineMs) => this.ask(target, { signal, deadlineMs }), { signal });
  }

  /** Asks now, once. @throws {ProbeCallError} unreachable, refused or incompatible */
  async ask(target: ProbeTarget, settings: { signal?: AbortSignal; deadlineMs?: number } = {}): Promise<ProbeFacts> {
    try {
      const connection = await this.connections.to(target);
      const askedAtMs = Date.now();
      const response = await connection.inventory({ controlPlaneVersion: VERSION }, settings);
      const facts = readInventory(target.name, response, askedAtMs, Date.now());
      if ('refusal' in facts) throw callError(facts.refusal);
      this.known.set(target.name, { facts, address: target.address, atMs: performance.now() });
      return facts;
    } catch (error) {
      this.known.delete(target.name);
      throw error;
    }
  }

  /** What is known without asking, however old. */
  peek(name: string): ProbeFacts | undefined {
    return this.known.get(name)?.facts;
  }

  /** The probe did not answer: the next attempt asks before it relies on anything. */
  doubt(name: string): void {
    this.known.delete(name);
  }
}

function callError(refusal: ReturnType<typeof ended>): ProbeCallError {
  const problem = refusal.reason === 'probe-version-incompatible' ? 'incompatible' : 'refused';
  const detail = refusal.outcome === 'completed' ? undefined : refusal.detail;
  return new ProbeCallError(problem, refusal.reason, detail ?? refusal.reason);
}
