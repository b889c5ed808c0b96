import { sqlState } from '../persistence/connection-fault.js';

/** How a PUT ended: 201 when it made the thing, 200 when it replaced it. */
export interface PutResult<T> {
  readonly created: boolean;
  readonly resource: T;
}

/**
 * Replaces a row or makes it, whoever else does the same at that moment.
 * @param replace resolves with undefined when there is no such row
 */
export async function putRow<T>(
  replace: () => Promise<T | undefined>,
  create: () => Promise<T>,
): Promise<PutResult<T>> {
  const replaced = await replace();
  if (replaced !== undefined) return { created: false, resource: replaced };
  try {
    return { created: true, resource: await create() };
  } catch (error) {
    const madeMeanwhile = isUniqueViolation(error) ? await replace() : undefined;
    if (madeMeanwhile === undefined) throw error;
    return { created: false, resource: madeMeanwhile };
  }
}

/** unique_violation (PostgreSQL, appendix A), or Prisma's own code for it. */
export const isUniqueViolation = (error: unknown): boolean =>
  sqlState(error) === '23505' || (error instanceof Error && 'code' in error && error.code === 'P2002');

/** foreign_key_violation, or Prisma's own code for it. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  sqlState(error) === '23503' || (error instanceof Error && 'code' in error && error.code === 'P2003');
