import { Body, Controller, Param, Query, Res } from '@nestjs/common';
import { Name } from '@plumbline/model';
import { PlanInput } from '@plumbline/plans';
import type { FastifyReply } from 'fastify';
import { lookup } from '../http/lookups.js';
import { type Page, PageQuery, pageOf } from '../http/pages.js';
import { Route } from '../http/route.js';
import { Plan } from './plan-schemas.js';
import { Plans } from './plans.js';

const PlanName = lookup(Name, 'plan');
const PlanPage = pageOf(Plan, 'PlanPage');
const tag = 'plans';

@Controller()
export class PlansController {
  constructor(private readonly plans: Plans) {}

  @Route('GET', '/v1/plans', {
    operationId: 'listPlans',
    summary: 'Plans by name, each with its newest version',
    tag,
    answers: [{ status: 200, description: 'A page of plans', schema: PlanPage }],
    problems: ['invalid-request'],
  })
  list(@Query({ schema: PageQuery }) query: PageQuery): Promise<Page<Plan>> {
    return this.plans.list(query);
  }

  @Route('GET', '/v1/plans/:name', {
    operationId: 'getPlan',
    summary: 'The newest version of a plan',
    tag,
    answers: [{ status: 200, description: 'The plan', schema: Plan }],
    problems: ['not-found'],
  })
  get(@Param('name', { schema: PlanName }) name: string): Promise<Plan> {
    return this.plans.get(name);
  }

  @Route('PUT', '/v1/plans/:name', {
    operationId: 'putPlan',
    summary: 'Make a plan, or its next version',
    description: 'A plan that says the same as its newest version stays that version.',
    tag,
    answers: [
      { status: 200, description: 'Changed, or the same as before', schema: Plan },
      { status: 201, description: 'Made', schema: Plan },
    ],
    bodyExample: {
      tests: [
        { kind: 'rtt', count: 20 },
        { kind: 'single-stream', name: 'one', durationS: 20, omitS: 3, congestionControl: 'cubic', repeats: 3 },
      ],
      criteria: [{ test: 'one', metric: 'throughput', op: '>=', value: 0.9, of: 'committed-rate' }],
    },
  })
  async put(
    @Param('name', { schema: Name }) name: string,
    @Body({ schema: PlanInput }) input: PlanInput,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plan> {
    const { created, resource } = await this.plans.put(name, input);
    if (created) reply.status(201);
    return resource;
  }

  @Route('DELETE', '/v1/plans/:name', {
    operationId: 'deletePlan',
    summary: 'Delete a plan; runs of it keep what they ran',
    tag,
    answers: [{ status: 204, description: 'Gone' }],
    problems: ['not-found'],
  })
  delete(@Param('name', { schema: PlanName }) name: string): Promise<void> {
    return this.plans.delete(name);
  }
}
