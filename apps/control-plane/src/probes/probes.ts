import { Injectable } from '@nestjs/common';
import { type HostSnapshot, Name, type Probe, type ProbeInput, type ProbePatch, ProblemError } from '@plumbline/model';
import { permits } from '../access/scopes.js';
import type { Caller } from '../access/tokens.js';
import { type Page, type PageQuery, windowOf } from '../http/pages.js';
import { isForeignKeyViolation, isUniqueViolation } from '../http/put-row.js';
import { inUse, invalid, notThere } from '../http/refusals.js';
import type { Probe as ProbeRow } from '../persistence/generated/client.js';
import { Database, ProbeDirectory, type ProbeReport, Settings, type Transaction } from '../persistence/seams.js';
import { matchEndpoints } from './endpoint-match.js';
import { Endpoints, probeOf, seenColumns } from './probe-rows.js';
import { refuseForeignSocket } from './socket-address.js';

@Injectable()
export class Probes {
  constructor(
    private readonly database: Database,
    private readonly directory: ProbeDirectory,
    private readonly settings: Settings,
  ) {}

  async list(query: PageQuery): Promise<Page<Probe>> {
    const window = windowOf(query, Name);
    const rows = await this.database.client.probe.findMany({
      where: window.after === undefined ? {} : { name: { gt: window.after } },
      orderBy: { name: 'asc' },
      take: window.size + 1,
    });
    return window.page(rows, (row) => row.name, probeOf);
  }

  /** @throws {ProblemError} not-found */
  async get(name: string): Promise<Probe> {
    return probeOf(await this.row(name));
  }

  /**
   * Registers a probe that runs: its own configuration is the authority, so it is asked.
   * @throws {ProblemError} conflict, invalid-request, or what the probe's answer makes of it
   */
  async register(input: ProbeInput, caller: Caller): Promise<Probe> {
    const { name, site, address } = input;
    const { client } = this.database;
    if (await client.probe.findUnique({ where: { name } })) throw taken(name);
    const { endpoints, report } = await this.verify(input, caller);
    const certificate = await this.newestCertificate(name);
    try {
      const row = await client.probe.create({
        data: {
          name,
          siteName: site,
          address,
          endpoints,
          certificateHash: certificate?.fingerprint,
          certificateNotAfter: certificate?.notAfter,
          ...seenColumns(report),
        },
      });
      return probeOf(row);
    } catch (error) {
      if (isUniqueViolation(error)) throw taken(name);
      if (isForeignKeyViolation(error)) throw noSite(site);
      throw error;
    }
  }

  /** @throws {ProblemError} not-found, in-use when a path needs an endpoint that would go, or as `register` */
  async change(name: string, patch: ProbePatch, caller: Caller): Promise<Probe> {
    const row = await this.row(name);
    const input: ProbeInput = {
      name,
      site: patch.site ?? row.siteName,
      address: patch.address ?? row.address,
      endpoints: patch.endpoints ?? Endpoints.parse(row.endpoints),
    };
    const { endpoints, report } = await this.verify(input, caller);
    try {
      const changed = await this.database.client.$transaction(async (transaction) => {
        await lockProbe(name, transaction);
        await this.refuseLostEndpoints(
          name,
          endpoints.map((e) => e.name),
          transaction,
        );
        return transaction.probe.update({
          where: { name },
          data: { siteName: input.site, address: input.address, endpoints, ...seenColumns(report) },
        });
      });
      return probeOf(changed);
    } catch (error) {
      if (isForeignKeyViolation(error)) throw noSite(input.site);
      throw error;
    }
  }

  /** Its certificates are worth nothing from now on. @throws {ProblemError} not-found; in-use, naming the paths */
  async delete(name: string): Promise<void> {
    await this.database.client.$transaction(async (transaction) => {
      await lockProbe(name, transaction);
      const paths = await pathsOf(name, transaction);
      if (paths.length > 0)
        throw inUse(
          `The probe ${name}`,
          paths.map((path) => `path ${path.name}`),
        );
      await transaction.probe.deleteMany({ where: { name } });
      await transaction.probeCertificate.updateMany({
        where: { probeName: name, revokedAt: null },
        data: { revokedAt: new Date() },
      });
      await transaction.enrolmentToken.deleteMany({ where: { probeName: name, usedAt: null } });
    });
  }

  /** @throws {ProblemError} not-found, or what the call to the probe came to */
  async snapshot(name: string, query: { endpoint?: string; peerAddress?: string }): Promise<HostSnapshot> {
    const row = await this.row(name);
    const names = Endpoints.parse(row.endpoints).map((e) => e.name);
    const endpoint = query.endpoint ?? names[0] ?? '';
    if (!names.includes(endpoint))
      throw invalid([{ detail: `the probe has the endpoints ${names.join(', ')}`, pointer: '#/query/endpoint' }]);
    return this.directory.snapshot(row, endpoint, query.peerAddress);
  }

  private async row(name: string): Promise<ProbeRow> {
    const row = await this.database.client.probe.findUnique({ where: { name } });
    if (!row) throw notThere('probe', name);
    return row;
  }

  private async verify(
    input: ProbeInput,
    caller: Caller,
  ): Promise<{ endpoints: ProbeInput['endpoints']; report: ProbeReport }> {
    const { name, site, address } = input;
    if (!(await this.database.client.site.findUnique({ where: { name: site } }))) throw noSite(site);
    refuseForeignSocket(address, this.settings.dataDir, permits(caller.scopes, 'admin'));
    const enrolled = (await this.newestCertificate(name)) !== null;
    const report = await this.directory.inventory({ name, address, enrolled }).catch((error: unknown) => {
      throw aboutAddress(error, address);
    });
    if (report.site !== site)
      throw new ProblemError(
        'probe-identity-mismatch',
        `The probe at ${address} says that it is at the site ${report.site}.`,
        [{ detail: `the probe says ${report.site}`, pointer: '/site' }],
      );
    const { endpoints, errors } = matchEndpoints(input.endpoints, report.endpoints);
    if (errors.length > 0)
      throw new ProblemError(
        'endpoint-mismatch',
        "The probe's own configuration says something else; errors says where.",
        errors,
      );
    return { endpoints, report };
  }

  private newestCertificate(probeName: string) {
    return this.database.client.probeCertificate.findFirst({
      where: { probeName, revokedAt: null, notAfter: { gt: new Date() } },
      orderBy: { notAfter: 'desc' },
    });
  }

  private async refuseLostEndpoints(name: string, kept: readonly string[], transaction: Transaction): Promise<void> {
    const needing = (await pathsOf(name, transaction)).filter((path) => path.endpoints.some((e) => !kept.includes(e)));
    if (needing.length > 0)
      throw inUse(
        `An endpoint of ${name} that would go`,
        needing.map((path) => `path ${path.name}`),
      );
  }
}

/** Waits for whoever makes a path on the probe at this moment (it holds the row too). */
async function lockProbe(name: string, transaction: Transaction): Promise<void> {
  const rows = await transaction.$queryRaw<unknown[]>`SELECT 1 FROM probe WHERE name = ${name} FOR UPDATE`;
  if (rows.length === 0) throw notThere('probe', name);
}

/** The paths that begin or end at a probe, each with the endpoints of that probe that it uses. */
async function pathsOf(probe: string, transaction: Transaction): Promise<{ name: string; endpoints: string[] }[]> {
  const rows = await transaction.$queryRaw<{ name: string; source: string; destination: string }[]>`
    SELECT name,
      CASE WHEN source_probe = ${probe} THEN document->'source'->>'endpoint' ELSE '' END AS source,
      CASE WHEN dest_probe = ${probe} THEN document->'destination'->>'endpoint' ELSE '' END AS destination
    FROM path WHERE source_probe = ${probe} OR dest_probe = ${probe} ORDER BY name LIMIT 1000`;
  return rows.map((row) => ({ name: row.name, endpoints: [row.source, row.destination].filter((e) => e !== '') }));
}

const taken = (name: string) => new ProblemError('conflict', `There is a probe ${name} already; PATCH changes it.`);
const noSite = (site: string) =>
  invalid([{ detail: `there is no site ${site}; make it first: PUT /v1/sites/${site}`, pointer: '/site' }]);

/** What the probe's answer came to, with the field that it is about. Whatever answers there is no mistake of ours. */
function aboutAddress(error: unknown, address: string): unknown {
  if (!(error instanceof ProblemError)) return error;
  const code = error.code === 'internal-error' ? 'probe-unreachable' : error.code;
  return new ProblemError(
    code,
    error.message,
    error.errors ?? [{ detail: `asked at ${address}`, pointer: '/address' }],
  );
}
