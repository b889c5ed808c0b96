import { Body, Controller, Param, Query, Res } from '@nestjs/common';
import { Name, Site, SiteInput } from '@plumbline/model';
import type { FastifyReply } from 'fastify';
import { lookup } from '../http/lookups.js';
import { type Page, PageQuery, pageOf } from '../http/pages.js';
import { Route } from '../http/route.js';
import { Sites } from './sites.js';

const SiteName = lookup(Name, 'site');
const SitePage = pageOf(Site, 'SitePage');
const tag = 'sites';

@Controller()
export class SitesController {
  constructor(private readonly sites: Sites) {}

  @Route('GET', '/v1/sites', {
    operationId: 'listSites',
    summary: 'Sites by name',
    tag,
    answers: [{ status: 200, description: 'A page of sites', schema: SitePage }],
    problems: ['invalid-request'],
  })
  list(@Query({ schema: PageQuery }) query: PageQuery): Promise<Page<Site>> {
    return this.sites.list(query);
  }

  @Route('GET', '/v1/sites/:name', {
    operationId: 'getSite',
    summary: 'A site',
    tag,
    answers: [{ status: 200, description: 'The site', schema: Site }],
    problems: ['not-found'],
  })
  get(@Param('name', { schema: SiteName }) name: string): Promise<Site> {
    return this.sites.get(name);
  }

  @Route('PUT', '/v1/sites/:name', {
    operationId: 'putSite',
    summary: 'Make or replace a site',
    tag,
    answers: [
      { status: 200, description: 'Replaced', schema: Site },
      { status: 201, description: 'Made', schema: Site },
    ],
    bodyExample: {
      timeZone: 'Europe/Berlin',
      labels: { country: 'de' },
      sharedLinks: [{ name: 'ber-uplink', capacity: 2 }],
    },
  })
  async put(
    @Param('name', { schema: Name }) name: string,
    @Body({ schema: SiteInput }) input: SiteInput,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Site> {
    const { created, resource } = await this.sites.put(name, input);
    if (created) reply.status(201);
    return resource;
  }

  @Route('DELETE', '/v1/sites/:name', {
    operationId: 'deleteSite',
    summary: 'Delete a site that has no probes',
    tag,
    answers: [{ status: 204, description: 'Gone' }],
    problems: ['not-found', 'in-use'],
  })
  delete(@Param('name', { schema: SiteName }) name: string): Promise<void> {
    return this.sites.delete(name);
  }
}
