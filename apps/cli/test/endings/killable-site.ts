import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from '@plumbline/process';
import { type LocalProbe, type Product, RunDocument, startProbe, startProduct } from '@plumbline/testing';
import { z } from 'zod';
import { descendants } from '../child.js';

export const PROBES = ['near', 'far'] as const;
export type ProbeName = (typeof PROBES)[number];

/** A control plane and two probes on loopback, each in a process of its own that may be killed and comes back. */
export class KillableSite {
  /** Of this process alone: whatever else runs here has other addresses. */
  readonly addresses: Readonly<Record<ProbeName, string>>;
  #product: Product;
  readonly #probes = new Map<ProbeName, LocalProbe>();

  private constructor(product: Product) {
    this.#product = product;
    const octet = 1 + (process.pid % 250);
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
    this.#probes.set(name, await startProbe(this.#product, { name, site: name, endpoints }));
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

  /** SIGKILL of the test's program at a probe, if one runs. @returns whether one did */
  killTool(name: ProbeName): boolean {
    const tool = this.programsOf(name).find(({ pid }) => /^(iperf3|ping)\0/.test(commandOf(pid)));
    if (tool) process.kill(tool.pid, 'SIGKILL');
    return tool !== undefined;
  }

  programsOf(name: ProbeName): ProcessIdentity[] {
    const pid = this.#probes.get(name)?.process.pid;
    return pid ? descendants(pid) : [];
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
