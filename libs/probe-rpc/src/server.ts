import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { parseProbeAddress } from '@plumbline/model';
import { createServer, type Server } from 'nice-grpc';
import { HealthDefinition, HealthServiceImpl, HealthState } from 'nice-grpc-server-health';
import type { Identity } from './certificate.js';
import { onlyControlPlane, ProbeServerCredentials } from './credentials.js';
import { ProbeServiceDefinition, type ProbeServiceImplementation } from './generated/plumbline/probe/v1/probe.js';
import { KEEPALIVE } from './limits.js';

export interface ServedProbe {
  readonly address: string;
  /** New connections get the new certificate; calls that run go on. Does nothing on a unix socket. */
  renew(identity: Identity): void;
  /** Says that no more calls are taken, waits for those that run at most `graceMs`, then ends them. */
  close(graceMs?: number): Promise<void>;
}

export interface ServeOptions {
  /** `host:port`, `[v6]:port` or `unix:/path` */
  readonly address: string;
  readonly implementation: ProbeServiceImplementation;
  /** The probe's certificate and key. Needed for TCP; a unix socket has file modes instead. */
  readonly identity?: Identity;
}

/**
 * Serves the probe's calls and the standard health service.
 * @throws {Error} with a sentence when the address is taken, cannot be used, or is TCP and there is no identity
 */
export async function serveProbe({ address, implementation, identity }: ServeOptions): Promise<ServedProbe> {
  const parsed = parseProbeAddress(address);
  if (parsed.kind === 'unix') return serveUnix(address, parsed.path, implementation);
  if (!identity)
    throw new Error(
      `Listening on ${address} needs TLS, and this probe has no certificate yet. Run plumb probe enrol, or listen on unix:PATH.`,
    );
  const credentials = new ProbeServerCredentials(identity);
  const { server, health } = makeServer(implementation, { ...KEEPALIVE, interceptors: [onlyControlPlane] });
  const host = parsed.host.includes(':') ? `[${parsed.host}]` : parsed.host;
  await server.listen(`${host}:${parsed.port}`, credentials).catch((error: Error) => {
    throw new Error(`Cannot listen on ${address}: ${error.message}`);
  });
  return {
    address,
    renew: (next) => credentials.renew(next),
    close: (graceMs) => closeServer(server, health, graceMs),
  };
}

async function serveUnix(
  address: string,
  path: string,
  implementation: ProbeServiceImplementation,
): Promise<ServedProbe> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await refuseIfTaken(path);
  const { server, health } = makeServer(implementation, KEEPALIVE);
  // Bound under another name and moved when its mode is right: nobody can connect before, and a stale socket is replaced at once.
  const other = join(dirname(path), `.${randomBytes(3).toString('hex')}`);
  const bound = Buffer.byteLength(other) <= Buffer.byteLength(path) || Buffer.byteLength(other) <= 107 ? other : path;
  if (bound === path) rmSync(path, { force: true });
  await server.listen(`unix:${bound}`, ServerCredentials.createInsecure()).catch((error: Error) => {
    throw new Error(`Cannot listen on ${address}: ${error.message}`);
  });
  chmodSync(bound, 0o600);
  if (bound !== path) renameSync(bound, path);
  const { ino } = statSync(path);
  return {
    address,
    renew: () => {},
    async close(graceMs) {
      await closeServer(server, health, graceMs);
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
    },
  };
}

function makeServer(
  implementation: ProbeServiceImplementation,
  options: Parameters<typeof createServer>[0],
): { server: Server; health: HealthState } {
  const server = createServer(options);
  const health = HealthState();
  health.setStatus('healthy', ProbeServiceDefinition.fullName);
  server.add(ProbeServiceDefinition, implementation);
  server.add(HealthDefinition, HealthServiceImpl(health));
  return { server, health };
}

async function closeServer(server: Server, health: HealthState, graceMs = 500): Promise<void> {
  health.setStatus('unhealthy');
  health.setStatus('unhealthy', ProbeServiceDefinition.fullName);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  // Ends with the last call, at the latest after graceMs.
  await Promise.race([server.shutdown().catch(() => undefined), late]);
  clearTimeout(timer);
  server.forceShutdown();
}

/** @throws when somebody answers there, or when what is there is not a socket and so not ours to replace */
async function refuseIfTaken(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new Error(`${path} is there and is not a socket; ${basename(path)} is left alone.`);
  if (await answers(path)) throw new Error(`Another process listens on unix:${path}.`);
}

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(path);
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1000, () => done(true));
    socket.once('connect', () => done(true)).once('error', () => done(false));
  });
