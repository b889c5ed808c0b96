import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LabError } from './lab-error.js';

const WAIT_MS = 30_000;
const RETRY_MS = 50;

/**
 * Runs `work` while no other process makes or removes the lab of that name. The lock is an abstract unix socket
 * (unix(7)): the kernel gives it to one process only and takes it back when that process dies, so it is never stale.
 * @throws {LabError} lab-busy after 30 s
 */
export async function withLabLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquire(`\0plumbline-lab-${name}`, name);
  try {
    return await work();
  } finally {
    await new Promise((resolve) => lock.close(resolve));
  }
}

/** Ends with the lock, or after WAIT_MS. */
async function acquire(address: string, name: string): Promise<Server> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const server = await tryListen(address);
    if (server) return server;
    if (performance.now() > until)
      throw new LabError(
        'lab-busy',
        `another process has been making or removing the lab '${name}' for ${WAIT_MS / 1000} s`,
      );
    await delay(RETRY_MS);
  }
}

function tryListen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => {
      if ('code' in error && error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path }, () => resolve(server));
  });
}
