import { Injectable } from '@nestjs/common';
import { Name } from '@plumbline/model';
import type { PlanInput } from '@plumbline/plans';
import { canonicalJson } from '../http/canonical.js';
import { type Page, type PageQuery, windowOf } from '../http/pages.js';
import type { PutResult } from '../http/put-row.js';
import { notThere } from '../http/refusals.js';
import { Database, type Transaction } from '../persistence/seams.js';
import { type Plan, StoredTests } from './plan-schemas.js';

/** A plan's row with the document of its newest version. */
interface Versioned {
  name: string;
  version: number;
  document: unknown;
  created_at: Date;
  updated_at: Date;
}

@Injectable()
export class Plans {
  constructor(private readonly database: Database) {}

  async list(query: PageQuery): Promise<Page<Plan>> {
    const window = windowOf(query, Name);
    const rows = await this.database.client.$queryRaw<Versioned[]>`
      SELECT p.name, p.version, v.document, p.created_at, p.updated_at
      FROM plan p JOIN plan_version v ON v.plan = p.name AND v.version = p.version
      WHERE p.deleted_at IS NULL AND p.name > ${window.after ?? ''} ORDER BY p.name LIMIT ${window.size + 1}`;
    return window.page(rows, (row) => row.name, planOf);
  }

  /** The newest version. @throws {ProblemError} not-found */
  async get(name: string): Promise<Plan> {
    const plan = await newest(name, this.database.client);
    if (!plan) throw notThere('plan', name);
    return plan;
  }

  /** A plan that says the same as before stays the version that it is. */
  put(name: string, input: PlanInput): Promise<PutResult<Plan>> {
    const document = { tests: input.tests, criteria: input.criteria };
    return this.database.client.$transaction(async (transaction) => {
      await transaction.$executeRaw`
        INSERT INTO plan (name, version, updated_at, deleted_at) VALUES (${name}, 0, now(), now()) ON CONFLICT DO NOTHING`;
      // Whoever changes the plan at this moment comes before us or after us.
      await transaction.$queryRaw`SELECT 1 FROM plan WHERE name = ${name} FOR UPDATE`;
      const before = await newest(name, transaction);
      const same =
        before && canonicalJson(document) === canonicalJson({ tests: before.tests, criteria: before.criteria });
      if (same) return { created: false, resource: before };
      await addVersion(name, document, before === undefined, transaction);
      const resource = await newest(name, transaction);
      if (!resource) throw new Error(`the plan ${name} that was just written is not there`);
      return { created: before === undefined, resource };
    });
  }

  /** Runs keep the plan as it was. @throws {ProblemError} not-found */
  async delete(name: string): Promise<void> {
    const { count } = await this.database.client.plan.updateMany({
      where: { name, deletedAt: null },
      data: { deletedAt: new Date() },
    });
    if (count === 0) throw notThere('plan', name);
  }
}

/** @returns undefined when there is no such plan, or it was deleted */
export async function newest(name: string, client: Pick<Transaction, '$queryRaw'>): Promise<Plan | undefined> {
  const rows = await client.$queryRaw<Versioned[]>`
    SELECT p.name, p.version, v.document, p.created_at, p.updated_at
    FROM plan p JOIN plan_version v ON v.plan = p.name AND v.version = p.version
    WHERE p.name = ${name} AND p.deleted_at IS NULL`;
  return rows.map(planOf)[0];
}

async function addVersion(name: string, document: PlanInput, isNew: boolean, client: Transaction): Promise<void> {
  const now = new Date();
  const { version } = await client.plan.update({
    where: { name },
    data: { version: { increment: 1 }, deletedAt: null, ...(isNew ? { createdAt: now } : {}) },
  });
  await client.planVersion.create({ data: { planName: name, version, document } });
}

const planOf = (row: Versioned): Plan => ({
  name: row.name,
  version: row.version,
  ...StoredTests.parse(row.document),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});
