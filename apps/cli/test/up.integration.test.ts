import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueProbeCertificate, makeCa, makeCsr, makeKey } from '@plumbline/probe-rpc';
import { freePort } from '@plumbline/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { pinnedFetch } from '../src/connection/pinned-fetch.js';
import { descendants, endAll, type Plumb, startPlumb, until, untilGone } from './child.js';

// A start takes some seconds of CPU; other tests may want the CPU too.
vi.setConfig({ testTimeout: 240_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumb-up-'));
});
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Up {
  readonly plumb: Plumb;
  readonly url: string;
  readonly dataDir: string;
  readonly token: string;
}

async function up(name: string, ...more: readonly string[]): Promise<Up> {
  const dataDir = join(folder, name);
  const plumb = startPlumb(['up', '--data-dir', dataDir, '--port', '0', '--no-demo', ...more]);
  await plumb.untilSaid(/serves at .*\n/);
  const url = /serves at (\S+)/.exec(plumb.said())?.[1] ?? '';
  return { plumb, url, dataDir, token: readFileSync(join(dataDir, 'admin.token'), 'utf8').trim() };
}

const sites = (one: Up, authorization?: string) =>
  fetch(`${one.url}/v1/sites`, authorization === undefined ? {} : { headers: { authorization } });

async function sitesOf({ url, dataDir }: Up): Promise<string> {
  const list = startPlumb(['site', 'list', '--json', '--server', url, '--token-file', join(dataDir, 'admin.token')]);
  const { exitCode, stdout } = await list.result;
  expect(exitCode).toBe(0);
  return stdout.toString('utf8');
}

async function addSite({ url, dataDir }: Up, name: string): Promise<void> {
  const tokenFile = join(dataDir, 'admin.token');
  const add = startPlumb(['site', 'add', name, '--time-zone', 'UTC', '--server', url, '--token-file', tokenFile]);
  expect((await add.result).exitCode).toBe(0);
}

describe('plumb up', () => {
  test('serves, keeps its token to its owner, and leaves nothing running after Ctrl-C', async () => {
    const one = await up('a');
    expect((await fetch(`${one.url}/readyz`)).status).toBe(200);
    expect(statSync(join(one.dataDir, 'admin.token')).mode & 0o777).toBe(0o600);
    expect((await sites(one)).status).toBe(401);
    expect((await sites(one, `Bearer ${one.token}`)).status).toBe(200);
    const children = descendants(one.plumb.pid);
    expect(children.length).toBeGreaterThanOrEqual(2);
    one.plumb.kill('SIGINT');
    expect(await one.plumb.result).toMatchObject({ outcome: 'exited', exitCode: 0 });
    await untilGone(children);
    expect(one.plumb.said()).not.toContain(one.token);
    await expect(fetch(`${one.url}/readyz`)).rejects.toThrow();
  });

  test('killed, it leaves nothing running, and the next start has the same data and token', async () => {
    const first = await up('b');
    await addSite(first, 'kept');
    const children = descendants(first.plumb.pid);
    first.plumb.kill('SIGKILL');
    await first.plumb.result;
    await untilGone(children);
    const second = await up('b');
    expect(second.token).toBe(first.token);
    expect(await sitesOf(second)).toContain('"kept"');
  });

  test('two run side by side; a third on a live folder or a taken port says so and touches nothing', async () => {
    const [one, two] = await Promise.all([up('c'), up('d')]);
    await addSite(one, 'only-in-c');
    expect(await sitesOf(two)).not.toContain('only-in-c');
    const port = new URL(one.url).port;
    const [onFolder, onPort] = [
      startPlumb(['up', '--no-demo', '--data-dir', one.dataDir, '--port', '0']),
      startPlumb(['up', '--no-demo', '--data-dir', join(folder, 'e'), '--port', port]),
    ];
    expect((await onFolder.result).exitCode).toBe(1);
    expect(onFolder.said()).toMatch(/data folder .* is in use/);
    expect((await onPort.result).exitCode).toBe(1);
    expect(onPort.said()).toContain(`Port ${port} on 127.0.0.1 is taken`);
    expect(onPort.said()).toContain('Next: ');
    expect(statSync(join(folder, 'e'), { throwIfNoEntry: false })).toBeUndefined();
    expect((await sites(one, `Bearer ${one.token}`)).status).toBe(200);
  });

  test('told to end while it starts, it ends in order', async () => {
    const plumb = startPlumb(['up', '--no-demo', '--data-dir', join(folder, 'f'), '--port', '0']);
    await until(() => descendants(plumb.pid).length > 0, 30_000);
    const children = descendants(plumb.pid);
    plumb.kill('SIGTERM');
    expect((await plumb.result).exitCode).toBe(0);
    expect(plumb.said()).not.toContain('serves at');
    await untilGone(children);
  });

  test('a server that is killed under it is started again', async () => {
    const one = await up('g');
    const { server } = JSON.parse(readFileSync(join(one.dataDir, 'redis.json'), 'utf8'));
    process.kill(server.pid, 'SIGKILL');
    await one.plumb.untilSaid(/redis ended by itself .* It is started again\./);
    await until(async () => (await fetch(`${one.url}/readyz`)).ok, 20_000);
    expect((await sites(one, `Bearer ${one.token}`)).status).toBe(200);
  });
});

describe('addresses that others can reach', () => {
  test('are served with TLS', async () => {
    const ca = await makeCa();
    const key = makeKey();
    const { certificate } = await issueProbeCertificate(ca, await makeCsr('web', key), 'web');
    const [cert, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, certificate);
    writeFileSync(keyFile, key, { mode: 0o600 });
    const one = await up('h', '--host', '0.0.0.0', '--tls-cert', cert, '--tls-key', keyFile);
    expect(one.url).toMatch(/^https:/);
    const trusted = pinnedFetch(certificate);
    expect((await trusted(`${one.url}/readyz`)).status).toBe(200);
    expect((await trusted(`${one.url}/v1/sites`)).status).toBe(401);
    // Somebody who does not know the certificate gets no further than its name.
    const list = startPlumb(['site', 'list', '--server', one.url, '--token-file', join(one.dataDir, 'admin.token')]);
    expect((await list.result).exitCode).toBe(1);
    expect(list.said()).toContain('cannot be verified');
    const other = pinnedFetch(await otherCertificate());
    await expect(other(`${one.url}/readyz`)).rejects.toThrow('fetch failed');
  });

  test('are refused without it', async () => {
    const port = await freePort();
    const plumb = startPlumb([
      'up',
      '--no-demo',
      '--data-dir',
      join(folder, 'i'),
      '--port',
      String(port),
      '--host',
      '0.0.0.0',
    ]);
    expect((await plumb.result).exitCode).toBe(2);
    expect(plumb.said()).toContain('--behind-proxy');
    expect(statSync(join(folder, 'i'), { throwIfNoEntry: false })).toBeUndefined();
  });
});

async function otherCertificate(): Promise<string> {
  return (await issueProbeCertificate(await makeCa(), await makeCsr('web', makeKey()), 'web')).certificate;
}
