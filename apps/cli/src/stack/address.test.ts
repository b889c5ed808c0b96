import { createServer } from 'node:net';
import { describe, expect, it, test } from 'vitest';
import { EXIT, Failure } from '../failure.js';
import { checkAddress, checkPortIsFree, isLoopback, listenFailure } from './address.js';

const failure = (work: () => void): Failure => {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('a Failure was expected');
};

test.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.example.com', false],
])('%s is loopback: %s', (host, expected) => expect(isLoopback(host)).toBe(expected));

describe('address to serve on', () => {
  it('needs TLS, or a proxy, where others can reach it', () => {
    const refused = failure(() => checkAddress({ host: '0.0.0.0', port: 1 }));
    expect(refused.exitCode).toBe(EXIT.usage);
    expect(refused.next).toContain('--tls-cert');
    checkAddress({ host: '0.0.0.0', port: 1, tlsCert: 'c', tlsKey: 'k' });
    checkAddress({ host: '0.0.0.0', port: 1, behindProxy: true });
    checkAddress({ host: '127.0.0.1', port: 1 });
  });
  it('takes the certificate with its key, and not with a proxy', () => {
    expect(failure(() => checkAddress({ host: '::1', port: 1, tlsCert: 'c' })).message).toContain('both');
    expect(failure(() => checkAddress({ host: '::1', port: 1, tlsKey: 'k' })).message).toContain('both');
    expect(
      failure(() => checkAddress({ host: '::', port: 1, tlsCert: 'c', tlsKey: 'k', behindProxy: true })).exitCode,
    ).toBe(EXIT.usage);
  });
});

describe('a port', () => {
  it('that is taken is said so, with what to type', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      }),
    );
    const error = await checkPortIsFree('127.0.0.1', port).catch((e: unknown) => e);
    server.close();
    expect(error).toBeInstanceOf(Failure);
    expect(String(error)).toContain(`Port ${port} on 127.0.0.1 is taken`);
    await new Promise((resolve) => server.once('close', resolve));
    await checkPortIsFree('127.0.0.1', port);
  });
  it('on an address that is not ours is another sentence', async () => {
    const error = await checkPortIsFree('192.0.2.77', 7420).catch((e: unknown) => e);
    expect(String(error)).toContain('no address 192.0.2.77');
  });
  it('of an unknown failure keeps its code', () => {
    expect(listenFailure(Object.assign(new Error('x'), { code: 'EWEIRD' }), '::1', 80).message).toContain(
      '[::1]:80 (EWEIRD)',
    );
  });
});
