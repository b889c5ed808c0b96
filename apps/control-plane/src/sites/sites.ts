import { Injectable } from '@nestjs/common';
import { Name, type Site, SiteInput } from '@plumbline/model';
import { type Page, type PageQuery, windowOf } from '../http/pages.js';
import { isForeignKeyViolation, type PutResult, putRow } from '../http/put-row.js';
import { inUse, notThere } from '../http/refusals.js';
import type { Site as SiteRow } from '../persistence/generated/client.js';
import { Prisma } from '../persistence/generated/client.js';
import { Database } from '../persistence/seams.js';

@Injectable()
export class Sites {
  constructor(private readonly database: Database) {}

  async list(query: PageQuery): Promise<Page<Site>> {
    const window = windowOf(query, Name);
    const rows = await this.database.client.site.findMany({
      where: window.after === undefined ? {} : { name: { gt: window.after } },
      orderBy: { name: 'asc' },
      take: window.size + 1,
    });
    return window.page(rows, (row) => row.name, siteOf);
  }

  /** @throws {ProblemError} not-found */
  async get(name: string): Promise<Site> {
    const row = await this.database.client.site.findUnique({ where: { name } });
    if (!row) throw notThere('site', name);
    return siteOf(row);
  }

  put(name: string, { timeZone, labels, sharedLinks }: SiteInput): Promise<PutResult<Site>> {
    const { site } = this.database.client;
    const data = { timeZone, labels: labels ?? Prisma.DbNull, sharedLinks: sharedLinks ?? Prisma.DbNull };
    return putRow(
      async () => (await site.updateManyAndReturn({ where: { name }, data })).map(siteOf)[0],
      async () => siteOf(await site.create({ data: { name, ...data } })),
    );
  }

  /** @throws {ProblemError} not-found; in-use, naming the probes */
  async delete(name: string): Promise<void> {
    try {
      const { count } = await this.database.client.site.deleteMany({ where: { name } });
      if (count === 0) throw notThere('site', name);
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      const probes = await this.database.client.probe.findMany({ where: { siteName: name }, select: { name: true } });
      throw inUse(
        `The site ${name}`,
        probes.map((probe) => `probe ${probe.name}`),
      );
    }
  }
}

const { labels, sharedLinks } = SiteInput.shape;
const siteOf = (row: SiteRow): Site => ({
  name: row.name,
  timeZone: row.timeZone,
  labels: labels.parse(row.labels ?? undefined),
  sharedLinks: sharedLinks.parse(row.sharedLinks ?? undefined),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
