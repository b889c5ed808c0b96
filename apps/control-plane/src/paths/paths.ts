import { Injectable } from '@nestjs/common';
import { Name, type Path, PathInput } from '@plumbline/model';
import { type Page, type PageQuery, windowOf } from '../http/pages.js';
import { type PutResult, putRow } from '../http/put-row.js';
import { inUse, invalid, notThere } from '../http/refusals.js';
import type { Path as PathRow, Probe as ProbeRow } from '../persistence/generated/client.js';
import { Database, type Transaction } from '../persistence/seams.js';
import { Endpoints } from '../probes/probe-rows.js';
import { findEnds, type KnownProbe } from './path-ends.js';

@Injectable()
export class Paths {
  constructor(private readonly database: Database) {}

  async list(query: PageQuery): Promise<Page<Path>> {
    const window = windowOf(query, Name);
    const rows = await this.database.client.path.findMany({
      where: window.after === undefined ? {} : { name: { gt: window.after } },
      orderBy: { name: 'asc' },
      take: window.size + 1,
    });
    return window.page(rows, (row) => row.name, pathOf);
  }

  /** @throws {ProblemError} not-found */
  async get(name: string): Promise<Path> {
    const row = await this.database.client.path.findUnique({ where: { name } });
    if (!row) throw notThere('path', name);
    return pathOf(row);
  }

  /** @throws {ProblemError} invalid-request when an end is not there or the ends do not fit */
  put(name: string, input: PathInput): Promise<PutResult<Path>> {
    const ends = { sourceProbe: input.source.probe, destProbe: input.destination.probe };
    const data = { ...ends, document: input };
    const checked = <T>(write: (transaction: Transaction) => Promise<T>): Promise<T> =>
      this.database.client.$transaction(async (transaction) => {
        const found = findEnds(input, await holdProbes(Object.values(ends), transaction));
        if ('errors' in found) throw invalid(found.errors);
        return write(transaction);
      });
    return putRow(
      () => checked(async ({ path }) => (await path.updateManyAndReturn({ where: { name }, data })).map(pathOf)[0]),
      () => checked(async ({ path }) => pathOf(await path.create({ data: { name, ...data } }))),
    );
  }

  /** @throws {ProblemError} not-found; in-use while a leg on it is queued or runs */
  async delete(name: string): Promise<void> {
    const { path, leg } = this.database.client;
    const legs = await leg.findMany({
      where: { pathName: name, state: { in: ['queued', 'running'] } },
      select: { runId: true },
      take: 100,
    });
    if (legs.length > 0) throw inUse(`The path ${name}`, [...new Set(legs.map(({ runId }) => `run ${runId}`))]);
    const { count } = await path.deleteMany({ where: { name } });
    if (count === 0) throw notThere('path', name);
  }
}

/** The probes of those names, held against deletion until the transaction ends. */
async function holdProbes(names: readonly string[], transaction: Transaction): Promise<KnownProbe[]> {
  const unique = [...new Set(names)].sort();
  await transaction.$queryRaw`SELECT 1 FROM probe WHERE name = ANY(${unique}) ORDER BY name FOR SHARE`;
  return (await transaction.probe.findMany({ where: { name: { in: unique } } })).map(knownProbe);
}

export const knownProbe = (row: Pick<ProbeRow, 'name' | 'siteName' | 'endpoints'>): KnownProbe => ({
  name: row.name,
  site: row.siteName,
  endpoints: Endpoints.parse(row.endpoints),
});

export const pathOf = (row: PathRow): Path => ({
  name: row.name,
  ...PathInput.parse(row.document),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
