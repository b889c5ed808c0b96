import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeProbe, type FakeProbeOptions, startFakeProbe } from '@plumbline/testing';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from '../../src/persistence/generated/client.js';
import { type Servers, startServers } from '../stack.js';
import { type Replica, startReplica } from './replica.js';
import { type ReplicaProcess, startReplicaProcess } from './replica-process.js';

export interface RunRequest {
  /** Names of paths: `a-b` is from probe a to probe b, `a.f-b` from its endpoint f. */
  readonly paths: readonly string[];
  readonly tests: readonly Record<string, unknown>[];
  readonly criteria?: readonly unknown[];
  readonly priority?: number;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly exclusive?: boolean;
  readonly sharedLinks?: readonly (string | { name: string; capacity: number })[];
}

/** Servers, fake probes and replicas for the tests of the execution side; it writes the rows that the HTTP side would. */
export class Lab {
  readonly client: PrismaClient;
  readonly probes = new Map<string, FakeProbe>();
  readonly replicas: Replica[] = [];
  readonly processes: ReplicaProcess[] = [];

  private constructor(readonly servers: Servers) {
    this.client = new PrismaClient({
      adapter: new PrismaPg(
        { connectionString: servers.databaseUrl },
        { onPoolError: () => undefined, onConnectionError: () => undefined },
      ),
    });
  }

  static async open(): Promise<Lab> {
    const lab = new Lab(await startServers());
    mkdirSync(join(lab.servers.dir, 'probes'), { recursive: true });
    await lab.client.site.create({ data: { name: 'site', timeZone: 'UTC' } });
    return lab;
  }

  get options() {
    return { databaseUrl: this.servers.databaseUrl, redisUrl: this.servers.redisUrl, dataDir: this.servers.dir };
  }

  async replica(name?: string): Promise<Replica> {
    const replica = await startReplica({ ...this.options, ...(name ? { name } : {}) });
    this.replicas.push(replica);
    return replica;
  }

  /** A replica in a process of its own, to be killed. */
  async process(name: string): Promise<ReplicaProcess> {
    const replica = await startReplicaProcess({ ...this.options, name });
    this.processes.push(replica);
    return replica;
  }

  /** A fake probe with one endpoint `e` on interface `eth0`, registered. */
  async probe(name: string, options: Partial<FakeProbeOptions> = {}): Promise<FakeProbe> {
    const address = `unix:${join(this.servers.dir, 'probes', `${name}.sock`)}`;
    const endpoints = [{ name: 'e', address: `127.0.0.${10 + this.probes.size}`, interface: 'eth0' }];
    const probe = await startFakeProbe({ name, site: 'site', address, endpoints, ...options });
    this.probes.set(name, probe);
    await this.client.probe.create({
      data: { name, siteName: 'site', address, endpoints: JSON.parse(JSON.stringify(options.endpoints ?? endpoints)) },
    });
    return probe;
  }

  /** A run with one leg a path and one step a test. @returns its id */
  async run(request: RunRequest): Promise<string> {
    const id = randomUUID();
    const { tests, criteria = [], priority = 0, notBefore = null, notAfter = null } = request;
    const shared = { priority, notBefore, notAfter };
    const legs: Prisma.LegCreateWithoutRunInput[] = [];
    for (const [index, name] of request.paths.entries()) {
      legs.push({
        index,
        pathName: name,
        pathDocument: await this.path(name, request.sharedLinks ?? []),
        exclusive:
          request.exclusive ??
          tests.some((test) => test.kind !== 'scripted-light' && test.kind !== 'scripted-background'),
        background: tests.some((test) => test.kind === 'scripted-background'),
        ...shared,
        steps: { create: tests.map((test, i) => ({ index: i, kind: String(test.kind) })) },
      });
    }
    const planDocument = json({ tests, criteria });
    await this.client.run.create({ data: { id, planDocument, ...shared, legs: { create: legs } } });
    return id;
  }

  /** Asks for a run and tells the first replica. */
  async start(request: RunRequest): Promise<string> {
    const id = await this.run(request);
    await this.replicas[0]?.execution.poke();
    return id;
  }

  async document(id: string) {
    return this.client.run.findUniqueOrThrow({
      where: { id },
      include: {
        legs: {
          orderBy: { index: 'asc' },
          include: {
            steps: {
              orderBy: { index: 'asc' },
              include: {
                metrics: { where: { attemptId: null } },
                attempts: {
                  orderBy: { n: 'asc' },
                  include: { metrics: true, artifacts: { orderBy: { name: 'asc' } }, snapshots: true, samples: true },
                },
              },
            },
          },
        },
      },
    });
  }

  /** The run once it has ended. @throws {Error} with what there is when it has not after `forMs` */
  async ended(id: string, forMs = 30_000) {
    await until(`run ${id} to end`, forMs, async () => {
      const run = await this.client.run.findUnique({ where: { id }, select: { state: true } }).catch(() => null);
      return run !== null && !['queued', 'running'].includes(run.state);
    });
    const run = await this.document(id);
    if (process.env.SHOW_LOG) {
      const events = await this.client.runEvent.findMany({ where: { runId: id }, orderBy: { seq: 'asc' } });
      console.log(`created ${run.createdAt.toISOString()}, claimed ${run.legs[0]?.claimedAt?.toISOString()}`);
      for (const event of events)
        console.log(event.at.toISOString().slice(14, 23), event.type, JSON.stringify(event.data));
    }
    return run;
  }

  async close(): Promise<void> {
    await Promise.all([...this.replicas, ...this.processes].map((replica) => replica.stop()));
    await Promise.all([...this.probes.values()].map((probe) => probe.close()));
    await this.client.$disconnect();
    await this.servers.stop();
  }

  private async path(name: string, sharedLinks: NonNullable<RunRequest['sharedLinks']>) {
    const at = new Date().toISOString();
    const [from, to] = name.split('-').map((end) => end.split('.'));
    const ends = await Promise.all([from, to].map((end) => this.end(end?.[0] ?? '', end?.[1] ?? 'e')));
    const [source, destination] = ends;
    const ref = (end: typeof source) => ({ probe: end?.probe, endpoint: end?.endpoint });
    const path = { source: ref(source), destination: ref(destination), rateLayer: 'ip' };
    const row = { name, sourceProbe: source?.probe ?? '', destProbe: destination?.probe ?? '', document: json(path) };
    await this.client.path.createMany({ data: [row], skipDuplicates: true });
    return json({ path: { name, ...path, createdAt: at, updatedAt: at }, source, destination, sharedLinks });
  }

  private async end(probe: string, endpoint: string) {
    const row = await this.client.probe.findUniqueOrThrow({ where: { name: probe } });
    const found = Array.isArray(row.endpoints)
      ? row.endpoints.find((e) => isObject(e) && e.name === endpoint)
      : undefined;
    if (!isObject(found)) throw new Error(`probe ${probe} has no endpoint ${endpoint}`);
    return { probe, endpoint, site: 'site', address: found.address, interface: found.interface };
  }
}

const isObject = (value: unknown): value is Prisma.JsonObject => typeof value === 'object' && value !== null;
const json = (value: unknown): Prisma.InputJsonObject => JSON.parse(JSON.stringify(value));

/** Waits for something. Ends after `forMs` at the latest. @throws {Error} then */
export async function until(what: string, forMs: number, holds: () => Promise<boolean> | boolean): Promise<number> {
  const began = performance.now();
  for (;;) {
    if (await holds()) return performance.now() - began;
    if (performance.now() - began > forMs) throw new Error(`waited ${forMs} ms in vain for ${what}`);
    await sleep(10);
  }
}

/** A scripted test whose program prints and sleeps. */
export const scripted = (sleepMs: number, more: Record<string, unknown> = {}, spec: Record<string, unknown> = {}) => ({
  kind: 'scripted',
  spec: { phases: [{ name: 'test', stdout: 'hello', sleepMs }], longestMs: 15_000, ...spec },
  ...more,
});
