import { z } from 'zod';

const Problem = z.object({ type: z.string(), errors: z.array(z.object({ pointer: z.string() })).default([]) });

/** Status, code and sorted pointers of an answer that must be a problem. */
export function said({ status, body }: { status: number; body: unknown }): (number | string)[] {
  const { type, errors } = Problem.parse(body);
  return [status, type.slice(type.lastIndexOf('/') + 1), ...errors.map((e) => e.pointer).sort()];
}
