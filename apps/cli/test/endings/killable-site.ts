import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from '@plumbline/process';
import { type LocalProbe, type Product, RunDocument, startProbe, startProduct } from '@plumbline/testing';
import { z } from 'zod';
import { descendants } from '../child.js';
import { type Course, roleOf } from './courses.js';
import { namespacesNow } from './namespaces.js';

export const PROBES = ['near', 'far'] as const;
export type ProbeName = (typeof PROBES)[number];

/** A control plane and two probes on loopback, each in a process of its own that may be killed and comes back. */
export class KillableSite {
  /** Of this process alone: whatever else runs here has other addresses. */
  readonly addresses: Readonly<Record<ProbeName, string>>;
  /** A range of its own, so that what listens there is the site's, on whichever address. */
  readonly ports: { readonly low: number; readonly high: number };
  #product: Product;
  readonly #probes = new Map<ProbeName, LocalProbe>();
  /** Every process that was seen below a probe. */
  readonly seen = new Map<string, ProcessIdentity>();
  readonly namespacesBefore = namespacesNow();

  private constructor(product: Product) {
    this.#product = product;
    const octet = 1 + (process.pid % 250);
    const low = 10_000 + octet * 80;
    this.ports = { low, high: low + 79 };
    this.addresses = { near: `127.78.${octet}.1`, far: `127.78.${octet}.2` };
  }

  static async start(dataDir: string, temporary: string): Promise<KillableSite> {
    const site = new KillableSite(await startProduct({ dataDir, env: { TMPDIR: temporary } }));
    for (const name of PROBES) await site.startProbe(name);
    await site.product.must('PUT', '/v1/paths/lo', {
      source: { probe: 'near', endpoint: 'lo' },
      destination: { probe: 'far', endpoint: 'lo' },
    });
    return site;
  }

  get product(): Product {
    return this.#product;
  }

  probeDir(name: ProbeName): string {
    return `${this.#product.dataDir}/probe-${name}`;
  }

  async startProbe(name: ProbeName): Promise<void> {
    const endpoints = [`lo=${this.addresses[name]}`];
    const args = ['--port-range', `${this.ports.low}-${this.ports.high}`];
    this.#probes.set(name, await startProbe(this.#product, { name, site: name, endpoints, args }));
  }

  /** SIGKILL, a pause, and the same probe again. */
  async killProbe(name: ProbeName, awayMs: number): Promise<void> {
    const probe = this.#probes.get(name)?.process;
    if (probe?.pid) process.kill(probe.pid, 'SIGKILL');
    await probe?.result;
    await sleep(awayMs);
    await this.startProbe(name);
  }

  /** SIGKILL of the control plane with its worker: its Postgres and Redis die with it. Then it is started again. */
  async killWorker(temporary: string): Promise<void> {
    const { process: running, dataDir, url } = this.#product;
    if (running.pid) process.kill(running.pid, 'SIGKILL');
    await running.result;
    this.#product = await startProduct({ dataDir, port: Number(new URL(url).port), env: { TMPDIR: temporary } });
  }

  /** A course's program that runs at either end, client or server. Whatever runs is remembered: none may live on. */
  programOf({ program }: Course, role: 'client' | 'server'): ProcessIdentity | undefined {
    const running = PROBES.flatMap((name) => this.programsOf(name));
    for (const identity of running) this.seen.set(`${identity.pid} ${identity.startTicks}`, identity);
    return running.find(({ pid }) => roleOf(commandOf(pid).split('\0'), program) === role);
  }

  programsOf(name: ProbeName): ProcessIdentity[] {
    const pid = this.#probes.get(name)?.process.pid;
    return pid ? descendants(pid) : [];
  }

  /** @returns false too when nobody answers: the control plane may just be away */
  async hasEnded(id: string): Promise<boolean> {
    const answer = await this.#product.call('GET', `/v1/runs/${id}`).catch((error: unknown) => error);
    const run = z.object({ status: z.literal(200), body: RunDocument }).safeParse(answer).data?.body;
    return run !== undefined && !['queued', 'running'].includes(run.state);
  }

  /** Asks until it is answered: the control plane may just be away. Ends after `forMs`. */
  async ended(id: string, forMs: number): Promise<RunDocument> {
    const until = performance.now() + forMs;
    let last: unknown;
    while (performance.now() < until) {
      const answer = await this.#product.call('GET', `/v1/runs/${id}`).catch((error: unknown) => error);
      last = answer;
      const run = z.object({ status: z.literal(200), body: RunDocument }).safeParse(answer).data?.body;
      if (run && !['queued', 'running'].includes(run.state)) return run;
      await sleep(100);
    }
    throw new Error(`run ${id} has not ended: ${JSON.stringify(last)}`);
  }

  async stop(): Promise<void> {
    await this.#product.process.stop(10_000);
    for (const { process: running } of this.#probes.values()) await running.stop(5_000);
  }
}

/** The argv of a process, its words ended by NUL; empty: it is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
