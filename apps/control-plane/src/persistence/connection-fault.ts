/**
 * Whether a database error says that the connection was lost, refused or shut down, or that the transaction lost a race,
 * so that the same work may be tried again. Looks through the layers in which Prisma and pg wrap one cause.
 */
export function isConnectionFault(error: unknown): boolean {
  return layers(error).some((layer) => {
    const code = text(layer, 'code') ?? text(layer, 'originalCode');
    if (code !== undefined && isFaultCode(code)) return true;
    const kind = text(layer, 'kind');
    if (kind !== undefined && FAULT_KINDS.has(kind)) return true;
    return FAULT_TEXTS.test(text(layer, 'message') ?? text(layer, 'originalMessage') ?? '');
  });
}

/** SQLSTATE of a database error, if it carries one (for example 23P01, exclusion violation). */
export function sqlState(error: unknown): string | undefined {
  for (const layer of layers(error)) {
    for (const key of ['originalCode', 'code']) {
      const code = text(layer, key);
      if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !PRISMA_CODE.test(code)) return code;
    }
  }
  return undefined;
}

const PRISMA_CODE = /^P\d{4}$/;

/** SQLSTATE (PostgreSQL manual, appendix A), errno names, and Prisma's own codes for the same. */
function isFaultCode(code: string): boolean {
  return (
    /^08[0-9A-Z]{3}$/.test(code) ||
    /^57P0[1235]$/.test(code) ||
    ['53300', '40001', '40P01', '25P03'].includes(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'EAI_AGAIN', 'ENOTCONN'].includes(code) ||
    ['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034'].includes(code)
  );
}

const FAULT_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TransactionWriteConflict',
]);

/** Messages of pg that carry no code (pg/lib/client.js, pg-pool/index.js). */
const FAULT_TEXTS =
  /Connection terminated|connection timeout|timeout expired|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed|server closed the connection|the database system is (starting up|shutting down|in recovery)/i;

/** The error, its causes, and the objects that Prisma hangs under `meta`: at most eight, so that a cycle ends. */
function layers(error: unknown): object[] {
  const found: object[] = [];
  const queue: unknown[] = [error];
  // Ends: at most eight objects are looked at.
  while (queue.length > 0 && found.length < 8) {
    const next = queue.shift();
    if (typeof next !== 'object' || next === null || found.includes(next)) continue;
    found.push(next);
    for (const key of ['cause', 'meta', 'driverAdapterError', 'errors']) queue.push(value(next, key));
    const several = value(next, 'errors');
    if (Array.isArray(several)) queue.push(...several);
  }
  return found;
}

const value = (from: object, key: string): unknown => Reflect.get(from, key);
const text = (from: object, key: string): string | undefined => {
  const found = value(from, key);
  return typeof found === 'string' ? found : undefined;
};
