import {
  type Host,
  type LinkCommand,
  type LinkNumber,
  labDown,
  labExec,
  labSet,
  labStart,
  labSysctl,
  labUp,
  type PathOptions,
} from '@plumbline/lab';
import { metricValue, type Product, type RunDocument, startProbe, startProduct } from '@plumbline/testing';
import { expect } from 'vitest';
import { z } from 'zod';

export const CLIENT = '192.0.2.1';
export const SERVER = '192.0.2.66';
const V6 = { client: '2001:db8:0:1::1', server: '2001:db8:0:2::2' };
/** 20 Mbit/s of IP bytes carry 1448 of 1500 as payload; of IPv6 packets 1428. */
export const LINK_PAYLOAD_BPS = (20e6 * 1448) / 1500;
export const LINK_PAYLOAD_V6_BPS = (20e6 * 1428) / 1500;

/** Another path than the seed path's, with what it promises. */
export interface OtherPath {
  readonly links: PathOptions;
  readonly committedRateBps: number;
  readonly expectedRttMs: number;
}

const Iperf3Report = z.object({ end: z.object({ sum_received: z.object({ bits_per_second: z.number() }) }) });

/**
 * The seed path of PRODUCT.md, with a probe at each end: 100 Mbit/s 2 ms, then 20 Mbit/s 20 ms, 150 KB queues, rates counted
 * on IP bytes. The answers asserted on it are theory's, with PRODUCT.md's bounds, in the shortest time that these allow.
 */
export class SeedPath {
  private constructor(
    readonly lab: string,
    readonly product: Product,
    /** Whether there is a path `seed6` over IPv6 as well. */
    readonly hasIpv6: boolean,
  ) {}

  /**
   * @param name tells the labs of several test files apart
   * @param other absent: the seed path itself
   */
  static async start(name: string, other?: OtherPath): Promise<SeedPath> {
    const lab = `known-${name}-${process.pid}`;
    const { hasIpv6 } = await labUp({ ...other?.links, name: lab, replace: true });
    try {
      const product = await startProduct();
      const seed = new SeedPath(lab, product, hasIpv6);
      await seed.#register(other).catch(async (error: unknown) => {
        await product.stop();
        throw error;
      });
      return seed;
    } catch (error) {
      await labDown(lab);
      throw error;
    }
  }

  async #register(other: OtherPath | undefined) {
    const netns = (host: string) => `plumb-${this.lab}-${host}`;
    const endpoints = (v4: string, v6: string) => [`wan=${v4}`, ...(this.hasIpv6 ? [`wan6=${v6}`] : [])];
    const east = { name: 'server', site: 'east', endpoints: endpoints(SERVER, V6.server), netns: netns('server') };
    await startProbe(this.product, {
      name: 'client',
      site: 'west',
      endpoints: endpoints(CLIENT, V6.client),
      netns: netns('client'),
    });
    await startProbe(this.product, east);
    const { committedRateBps = 20e6, expectedRttMs = 44 } = other ?? {};
    for (const [path, endpoint] of this.hasIpv6
      ? [['seed', 'wan'] as const, ['seed6', 'wan6'] as const]
      : [['seed', 'wan'] as const])
      await this.product.must('PUT', `/v1/paths/${path}`, {
        source: { probe: 'client', endpoint },
        destination: { probe: 'server', endpoint },
        committedRateBps,
        expectedRttMs,
      });
  }

  async stop(): Promise<void> {
    await this.product.stop();
    await labDown(this.lab);
  }

  /** Changes a link while it runs, as `plumb lab set` does. */
  async set(link: LinkNumber, side: 'ab' | 'ba' | undefined, command: LinkCommand): Promise<void> {
    await labSet(this.lab, link, side, command);
  }

  /** The hosts forget what earlier flows taught them of the path: a threshold learnt with loss holds up one without. */
  async forgetPaths(): Promise<void> {
    for (const host of ['client', 'server'] as const)
      await labExec(this.lab, host, ['ip', 'tcp_metrics', 'flush', 'all']);
  }

  /** A sysctl of one host's namespace. */
  async sysctl(host: 'client' | 'server', key: string, value: string): Promise<void> {
    await labSysctl(this.lab, host, key, value);
  }

  /** What the bare tool delivers on the same path, without anything of ours (bit/s). */
  async bareIperf3(argv: readonly string[]): Promise<number> {
    const server = await labStart(this.lab, 'server', ['iperf3', '-s', '-1', '-p', '5999']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    try {
      const client = await labExec(
        this.lab,
        'client',
        ['iperf3', '-c', SERVER, '-p', '5999', '-J', '-t', '8', '-O', '3', '-C', 'cubic', ...argv],
        { timeoutMs: 30_000 },
      );
      return Iperf3Report.parse(JSON.parse(client.stdout.toString())).end.sum_received.bits_per_second;
    } finally {
      await server.stop();
    }
  }

  /** Runs a program on a host of the lab to its end. @returns what it printed on both of its streams */
  async exec(host: Host, argv: readonly string[]): Promise<string> {
    const { stdout, stderr } = await labExec(this.lab, host, argv, { timeoutMs: 30_000 });
    return `${stdout.toString()}\n${stderr.toString()}`;
  }

  /** One test through the API; it must complete and succeed. */
  async measure(test: object, { path = 'seed', forMs = 60_000 }: { path?: string; forMs?: number } = {}) {
    const run = await this.product.run({ plan: { tests: [test] }, paths: [path] }, forMs);
    expect(run.legs[0]?.steps[0]?.attempts.at(-1)).toMatchObject({ outcome: 'completed' });
    expect(run.state).toBe('succeeded');
    return run;
  }

  /**
   * Up to three runs, until one reaches the answer: the emulator and the tools share two cores with whatever else runs, and that
   * only ever slows a flow down. What no noise explains (too fast, another limit) is asserted on the run that is returned.
   */
  async reaching(test: object, least: number, name = 'throughput') {
    return this.until(test, (run) => metricValue(run, 0, name) >= least);
  }

  /** As `reaching`, for an answer of several numbers. */
  async until(test: object, isReached: (run: RunDocument) => boolean, options: { path?: string; forMs?: number } = {}) {
    let run = await this.measure(test, options);
    // Ends after the third run.
    for (let tries = 1; tries < 3 && !isReached(run); tries += 1) run = await this.measure(test, options);
    return run;
  }
}

/** The value of the first step's metric with just these labels. @throws {Error} when it is missing or null */
export function stepValue(run: RunDocument, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = JSON.stringify(Object.entries(labels).sort());
  const metrics = run.legs[0]?.steps[0]?.metrics ?? [];
  const found = metrics.find(
    (m) => m.name === name && JSON.stringify(Object.entries(m.labels ?? {}).sort()) === wanted,
  );
  if (typeof found?.value !== 'number')
    throw new Error(`no ${name} ${wanted}: ${JSON.stringify(metrics.filter((m) => m.name === name))}`);
  return found.value;
}
