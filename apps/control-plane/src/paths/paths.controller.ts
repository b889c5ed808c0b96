import { Body, Controller, Param, Query, Res } from '@nestjs/common';
import { Name, Path, PathInput } from '@plumbline/model';
import type { FastifyReply } from 'fastify';
import { lookup } from '../http/lookups.js';
import { type Page, PageQuery, pageOf } from '../http/pages.js';
import { Route } from '../http/route.js';
import { Paths } from './paths.js';

const PathName = lookup(Name, 'path');
const PathPage = pageOf(Path, 'PathPage');
const tag = 'paths';

@Controller()
export class PathsController {
  constructor(private readonly paths: Paths) {}

  @Route('GET', '/v1/paths', {
    operationId: 'listPaths',
    summary: 'Paths by name',
    tag,
    answers: [{ status: 200, description: 'A page of paths', schema: PathPage }],
    problems: ['invalid-request'],
  })
  list(@Query({ schema: PageQuery }) query: PageQuery): Promise<Page<Path>> {
    return this.paths.list(query);
  }

  @Route('GET', '/v1/paths/:name', {
    operationId: 'getPath',
    summary: 'A path',
    tag,
    answers: [{ status: 200, description: 'The path', schema: Path }],
    problems: ['not-found'],
  })
  get(@Param('name', { schema: PathName }) name: string): Promise<Path> {
    return this.paths.get(name);
  }

  @Route('PUT', '/v1/paths/:name', {
    operationId: 'putPath',
    summary: 'Make or replace a path: an ordered pair of endpoints with its contract',
    tag,
    answers: [
      { status: 200, description: 'Replaced', schema: Path },
      { status: 201, description: 'Made', schema: Path },
    ],
    bodyExample: {
      source: { probe: 'ber1', endpoint: 'test' },
      destination: { probe: 'par1', endpoint: 'test' },
      committedRateBps: 1_000_000_000,
      expectedRttMs: 18,
      contract: { timeZone: 'Europe/Berlin', maxRttMs: 25, maxLossRatio: 0.001 },
    },
  })
  async put(
    @Param('name', { schema: Name }) name: string,
    @Body({ schema: PathInput }) input: PathInput,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Path> {
    const { created, resource } = await this.paths.put(name, input);
    if (created) reply.status(201);
    return resource;
  }

  @Route('DELETE', '/v1/paths/:name', {
    operationId: 'deletePath',
    summary: 'Delete a path on which nothing is queued or runs',
    tag,
    answers: [{ status: 204, description: 'Gone' }],
    problems: ['not-found', 'in-use'],
  })
  delete(@Param('name', { schema: PathName }) name: string): Promise<void> {
    return this.paths.delete(name);
  }
}
