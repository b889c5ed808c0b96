import { Body, Controller, Param, Query, Req, Res } from '@nestjs/common';
import { HostSnapshot, IpAddress, Name, Probe, ProbeInput, ProbePatch } from '@plumbline/model';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../access/gate.js';
import { lookup } from '../http/lookups.js';
import { type Page, PageQuery, pageOf } from '../http/pages.js';
import { Route } from '../http/route.js';
import { Probes } from './probes.js';

const ProbeName = lookup(Name, 'probe');
const ProbePage = pageOf(Probe, 'ProbePage');
const SnapshotQuery = z.strictObject({
  endpoint: Name.optional().meta({ description: "Whose interface is described; default: the probe's first" }),
  peerAddress: IpAddress.optional().meta({ description: 'For the route and the cached TCP metrics of that peer' }),
});
type SnapshotQuery = z.output<typeof SnapshotQuery>;
const tag = 'probes';
const verification = [
  'endpoint-mismatch',
  'probe-unreachable',
  'probe-incompatible',
  'probe-identity-mismatch',
] as const;

@Controller()
export class ProbesController {
  constructor(private readonly probes: Probes) {}

  @Route('GET', '/v1/probes', {
    operationId: 'listProbes',
    summary: 'Probes by name',
    tag,
    answers: [{ status: 200, description: 'A page of probes', schema: ProbePage }],
    problems: ['invalid-request'],
  })
  list(@Query({ schema: PageQuery }) query: PageQuery): Promise<Page<Probe>> {
    return this.probes.list(query);
  }

  @Route('POST', '/v1/probes', {
    operationId: 'createProbe',
    summary: 'Register a probe that runs',
    description:
      "The probe is asked: name, site and endpoints must be its own. A unix: address outside the data folder's probes/ needs the scope admin. A probe with a host:port address is enrolled before it is registered.",
    tag,
    answers: [{ status: 201, description: 'Registered', schema: Probe, headers: { Location: 'Where it is' } }],
    problems: ['conflict', ...verification],
    bodyExample: {
      name: 'ber1',
      site: 'ber',
      address: '192.0.2.10:7430',
      endpoints: [{ name: 'test', address: '192.0.2.10', interface: 'eth1' }],
    },
  })
  async register(
    @Body({ schema: ProbeInput }) input: ProbeInput,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Probe> {
    const probe = await this.probes.register(input, callerOf(request));
    reply.header('location', `/v1/probes/${probe.name}`);
    return probe;
  }

  @Route('GET', '/v1/probes/:name', {
    operationId: 'getProbe',
    summary: 'A probe',
    tag,
    answers: [{ status: 200, description: 'The probe', schema: Probe }],
    problems: ['not-found'],
  })
  get(@Param('name', { schema: ProbeName }) name: string): Promise<Probe> {
    return this.probes.get(name);
  }

  @Route('PATCH', '/v1/probes/:name', {
    operationId: 'changeProbe',
    summary: 'Change where a probe is; it is asked again',
    tag,
    answers: [{ status: 200, description: 'Changed', schema: Probe }],
    problems: ['not-found', 'in-use', ...verification],
  })
  change(
    @Param('name', { schema: ProbeName }) name: string,
    @Body({ schema: ProbePatch }) patch: ProbePatch,
    @Req() request: FastifyRequest,
  ): Promise<Probe> {
    return this.probes.change(name, patch, callerOf(request));
  }

  @Route('DELETE', '/v1/probes/:name', {
    operationId: 'deleteProbe',
    summary: 'Delete a probe that no path uses, and revoke its certificates',
    tag,
    answers: [{ status: 204, description: 'Gone' }],
    problems: ['not-found', 'in-use'],
  })
  delete(@Param('name', { schema: ProbeName }) name: string): Promise<void> {
    return this.probes.delete(name);
  }

  @Route('GET', '/v1/probes/:name/snapshot', {
    operationId: 'getProbeSnapshot',
    summary: "Facts of the probe's host now",
    tag,
    answers: [{ status: 200, description: 'What is absent has its reason in unknown', schema: HostSnapshot }],
    problems: ['not-found', 'invalid-request', ...verification],
  })
  snapshot(
    @Param('name', { schema: ProbeName }) name: string,
    @Query({ schema: SnapshotQuery }) query: SnapshotQuery,
  ): Promise<HostSnapshot> {
    return this.probes.snapshot(name, query);
  }
}
