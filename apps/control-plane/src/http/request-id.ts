import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** Always our own: an id that a client chose could be anything, and would go into the log. */
export const newRequestId = (): string => randomUUID();

/** Names the occurrence in a problem's `instance`, so that it can be found in the log. */
export const requestUrn = (request: FastifyRequest): string => `urn:uuid:${request.id}`;
