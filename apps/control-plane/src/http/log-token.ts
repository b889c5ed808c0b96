/** Injection token of the pino logger. */
export const LOG = Symbol('log');
