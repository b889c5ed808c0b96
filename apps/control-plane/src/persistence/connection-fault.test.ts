import { describe, expect, it } from 'vitest';
import { isConnectionFault, sqlState } from './connection-fault.js';

const wrapped = (cause: object) =>
  Object.assign(new Error('Invalid `prisma.run.update()` invocation'), {
    code: 'P2010',
    meta: { driverAdapterError: { cause } },
  });

describe('connection faults', () => {
  it.each([
    ['admin shutdown', { code: '57P01' }],
    ['starting up', { code: '57P03', message: 'the database system is starting up' }],
    ['connection class', { code: '08006' }],
    ['refused', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['socket file gone', Object.assign(new Error('connect ENOENT'), { code: 'ENOENT' })],
    ['terminated', new Error('Connection terminated unexpectedly')],
    ['through Prisma', wrapped({ kind: 'postgres', originalCode: '57P01' })],
    ['not reachable, through Prisma', wrapped({ kind: 'DatabaseNotReachable' })],
    ['several addresses', Object.assign(new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]))],
    ['deadlock', { code: '40P01' }],
  ])('%s is one', (_what, error) => {
    expect(isConnectionFault(error)).toBe(true);
  });

  it.each([
    ['a unique violation', { code: '23505' }],
    ['an overlap of claims', wrapped({ kind: 'postgres', originalCode: '23P01' })],
    ['a bug', new TypeError('x is not a function')],
    ['nothing', undefined],
  ])('%s is not', (_what, error) => {
    expect(isConnectionFault(error)).toBe(false);
  });

  it('ends on a cause that is its own cause', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(isConnectionFault(error)).toBe(false);
  });

  it('finds the SQLSTATE under the wrapping', () => {
    expect(sqlState(wrapped({ kind: 'postgres', originalCode: '23P01' }))).toBe('23P01');
    expect(sqlState(new Error('no state'))).toBeUndefined();
  });
});
