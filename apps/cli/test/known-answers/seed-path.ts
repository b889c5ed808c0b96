import {
  type Direction,
  type Host,
  type LinkCommand,
  type LinkNumber,
  labDown,
  labExec,
  labLay,
  labSet,
  labStart,
  labSysctl,
  labUp,
  namespaceOf,
  type PathOptions,
} from '@plumbline/lab';
import {
  type JoinedProduct,
  joinProduct,
  type LocalProbe,
  metricValue,
  type RunDocument,
  startProbe,
} from '@plumbline/testing';
import { expect, inject } from 'vitest';
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

/** Another path for a while, of `SeedPath.lay`. */
export interface LaidPath {
  /** Both links as in `labUp`; what is absent is the seed path's. `pathOf(rateBps, rttMs, queueBytes)` makes one of one figure each. */
  readonly links?: Pick<PathOptions, 'link1' | 'link2'>;
  /** What the links do beyond that: policer, reorder, maxlen, wscale ... */
  readonly more?: readonly { readonly link: LinkNumber; readonly side?: Direction; readonly command: LinkCommand }[];
  readonly sysctls?: readonly { readonly host: 'client' | 'server'; readonly key: string; readonly value: string }[];
  /** What the registered path promises, as in `PUT /v1/paths/{name}`; the seed path's where absent. */
  readonly promises?: Readonly<Record<string, unknown>>;
}

const SEED_PROMISES = { committedRateBps: 20e6, expectedRttMs: 44 };

/**
 * The seed path of PRODUCT.md, with a probe at each end: 100 Mbit/s 2 ms, then 20 Mbit/s 20 ms, 150 KB queues, rates counted
 * on IP bytes. The answers asserted on it are theory's, with PRODUCT.md's bounds, in the shortest time that these allow.
 *
 * All files of the lab tier share one product (`one-product.ts`): it starts with the first of them, so each runs alone as well. A file
 * has its own lab and its own two probes, which cost 3 s. A file that measures many paths has them too only once, and lays each path
 * within 0.1 s:
 *
 *     beforeAll(async () => { seed = await SeedPath.start('scenarios'); });
 *     afterAll(() => seed?.stop());
 *     test.each(ROWS)('$name', async ({ path, tests, code }) => {
 *       await seed.lay(path);              // all that an earlier row changed is undone
 *       const run = await seed.run(tests); // through the API
 *       ...
 *     });
 */
export class SeedPath {
  /** Names of the registered paths, over IPv4 and over IPv6. */
  readonly path: string;
  readonly path6: string;
  readonly #probes: LocalProbe[] = [];
  /** What settings of hosts were before they were changed. */
  readonly #changed = new Map<string, { host: 'client' | 'server'; key: string; value: string }>();

  private constructor(
    readonly lab: string,
    readonly product: JoinedProduct,
    /** Whether there is a path over IPv6 as well. */
    readonly hasIpv6: boolean,
  ) {
    this.path = lab;
    this.path6 = `${lab}-ipv6`;
  }

  /**
   * @param name tells the labs of several test files apart
   * @param other absent: the seed path itself
   */
  static async start(name: string, other?: OtherPath): Promise<SeedPath> {
    const product = await joinProduct(inject('productAt'));
    const lab = `known-${name}-${process.pid}`;
    const { hasIpv6 } = await labUp({ ...other?.links, name: lab, replace: true });
    const seed = new SeedPath(lab, product, hasIpv6);
    try {
      await seed.#register(other);
      return seed;
    } catch (error) {
      await seed.stop();
      throw error;
    }
  }

  async #register(other: OtherPath | undefined) {
    const endpoints = (v4: string, v6: string) => [`wan=${v4}`, ...(this.hasIpv6 ? [`wan6=${v6}`] : [])];
    const [client, server] = [endpoints(CLIENT, V6.client), endpoints(SERVER, V6.server)];
    await Promise.all([this.#startProbe('client', 'west', client), this.#startProbe('server', 'east', server)]);
    const { committedRateBps, expectedRttMs } = other ?? SEED_PROMISES;
    await this.#promise({ committedRateBps, expectedRttMs });
  }

  async #startProbe(host: 'client' | 'server', site: string, endpoints: string[]): Promise<void> {
    const netns = namespaceOf(this.lab, host);
    this.#probes.push(await startProbe(this.product, { name: `${this.lab}-${host}`, site, endpoints, netns }));
  }

  async #promise(promises: Readonly<Record<string, unknown>>): Promise<void> {
    const ways = [[this.path, 'wan'] as const, ...(this.hasIpv6 ? [[this.path6, 'wan6'] as const] : [])];
    for (const [path, endpoint] of ways)
      await this.product.must('PUT', `/v1/paths/${path}`, {
        source: { probe: `${this.lab}-client`, endpoint },
        destination: { probe: `${this.lab}-server`, endpoint },
        ...promises,
      });
  }

  /** Ends the probes and the lab. The product goes on, without what was registered here. */
  async stop(): Promise<void> {
    for (const path of [this.path, this.path6]) await this.product.call('DELETE', `/v1/paths/${path}`);
    for (const { name, process } of this.#probes) {
      await this.product.call('DELETE', `/v1/probes/${name}`);
      await process.stop(5000);
    }
    await labDown(this.lab);
  }

  /**
   * Makes the path another one, from a known state: links, settings of the hosts and what these remember of the path are as at the
   * start, but for what is given. What a test did by `exec` (routes, rules, an MTU) it takes back itself.
   */
  async lay({ links = {}, more = [], sysctls = [], promises = {} }: LaidPath): Promise<void> {
    for (const { host, key, value } of this.#changed.values()) await labSysctl(this.lab, host, key, value);
    this.#changed.clear();
    await labLay(this.lab, links);
    for (const { link, side, command } of more) await this.set(link, side, command);
    for (const { host, key, value } of sysctls) await this.sysctl(host, key, value);
    await this.forgetPaths();
    await this.#promise({ ...SEED_PROMISES, ...promises });
  }

  /** The process of a host's probe, with which its programs come and go. */
  probePid(host: 'client' | 'server'): number {
    const pid = this.#probes.find(({ name }) => name === `${this.lab}-${host}`)?.process.pid;
    if (typeof pid !== 'number') throw new Error(`the probe of ${host} does not run`);
    return pid;
  }

  /** Changes a link while it runs, as `plumb lab set` does. */
  async set(link: LinkNumber, side: Direction | undefined, command: LinkCommand): Promise<void> {
    await labSet(this.lab, link, side, command);
  }

  /** The hosts forget what earlier flows taught them of the path: a threshold learnt with loss holds up one without, and an MTU. */
  async forgetPaths(): Promise<void> {
    for (const host of ['client', 'server'] as const) {
      await labExec(this.lab, host, ['ip', 'tcp_metrics', 'flush', 'all']);
      await labExec(this.lab, host, ['ip', 'route', 'flush', 'cache']);
    }
  }

  /** A sysctl of one host's namespace, until the next `lay`. */
  async sysctl(host: 'client' | 'server', key: string, value: string): Promise<void> {
    const changed = `${host} ${key}`;
    if (!this.#changed.has(changed)) {
      const { stdout } = await labExec(this.lab, host, ['sysctl', '-n', key], { timeoutMs: 10_000 });
      this.#changed.set(changed, { host, key, value: stdout.toString().trim() });
    }
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
        ['iperf3', '-c', SERVER, '-p', '5999', '-J', '-t', '4', '-O', '2', '-C', 'cubic', ...argv],
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

  /** Tests through the API, one after another in one leg, to their end, whatever that is. */
  async run(tests: readonly object[], { path = this.path, forMs = 60_000 }: { path?: string; forMs?: number } = {}) {
    return this.product.run({ plan: { tests }, paths: [path] }, forMs);
  }

  /** One test through the API; it must complete and succeed. */
  async measure(test: object, options: { path?: string; forMs?: number } = {}) {
    const run = await this.run([test], options);
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
