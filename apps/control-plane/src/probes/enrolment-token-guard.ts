import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Enrolments } from './enrolments.js';

/** Before the body is looked at: who has no good enrolment token learns nothing of what a request should look like. */
@Injectable()
export class EnrolmentTokenGuard implements CanActivate {
  constructor(private readonly enrolments: Enrolments) {}

  /** @throws {ProblemError} enrolment-token-invalid */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    await this.enrolments.openToken(headers.authorization);
    return true;
  }
}
