import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@plumbline/testing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endAll, type Plumb, startPlumb } from './child.js';

vi.setConfig({ testTimeout: 300_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumb-site-'));
});
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The README's way to a probe at a real site, typed word for word, with two "sites" on loopback addresses. */
test('two probes enrol over TCP with mutual TLS, and a plan runs between them', async () => {
  const dataDir = join(folder, 'd');
  const server = startPlumb(['up', '--data-dir', dataDir, '--port', '0', '--no-demo']);
  await server.untilSaid(/serves at .*\n/);
  const url = /serves at (\S+)/.exec(server.said())?.[1] ?? '';
  const env = { PLUMBLINE_SERVER: url, PLUMBLINE_TOKEN_FILE: join(dataDir, 'admin.token') };
  const said: string[] = [];
  const type = async (...argv: readonly string[]): Promise<string> => {
    const one = startPlumb(argv, { env, cwd: folder });
    const { exitCode, stdout } = await one.result;
    said.push(one.said());
    if (exitCode !== 0) throw new Error(`plumb ${argv.join(' ')} ended with ${exitCode}:\n${one.said()}`);
    return stdout.toString('utf8');
  };

  const secrets: string[] = [];
  const probes: Plumb[] = [];
  for (const [name, address] of [
    ['berlin1', '127.0.0.1'],
    ['paris1', '127.0.0.2'],
  ] as const) {
    const site = name.slice(0, -1);
    const listen = `${address}:${await freePort()}`;
    const probeDir = join(folder, name);
    await type('site', 'add', site, '--time-zone', 'Europe/Berlin');
    await type('probe', 'enrolment', name);
    secrets.push(readFileSync(join(folder, `${name}.enrolment`), 'utf8').trim());
    await type('probe', 'enrol', '--server', url, '--token-file', `${name}.enrolment`, '--data-dir', probeDir);
    const endpoint = `lan=${address}`;
    const own = ['--name', name, '--site', site, '--listen', listen, '--endpoint', endpoint, '--data-dir', probeDir];
    const probe = startPlumb(['probe', ...own]);
    probes.push(probe);
    await probe.untilSaid(/listening on/);
    await type('probe', 'add', name, '--site', site, '--address', listen, '--endpoint', endpoint);
  }
  expect(await type('probe', 'show', 'berlin1')).toMatch(/certificate\s+until 20/);
  await type('path', 'add', 'berlin-paris', '--from', 'berlin1/lan', '--to', 'paris1/lan');
  const tests = [
    { kind: 'rtt', count: 3, intervalS: 0.1 },
    { kind: 'single-stream', durationS: 1 },
  ];
  writeFileSync(join(folder, 'first.json'), JSON.stringify({ tests }));
  await type('plan', 'put', 'first', '-f', 'first.json');
  const shown = await type('run', 'first', '--path', 'berlin-paris');
  expect(shown).toMatch(/^succeeded, verdict none/m);
  expect(shown).toMatch(/rtt\.p50\s+[\d.]+ (µs|ms)/);
  expect(shown).toMatch(/throughput\s+[\d.]+ [MG]bit\/s/);

  // The token was good once.
  await expect(
    type('probe', 'enrol', '--server', url, '--token-file', 'berlin1.enrolment', '--data-dir', join(folder, 'again')),
  ).rejects.toThrow(/refused \(401\)/);
  expect(statSync(join(folder, 'berlin1.enrolment')).mode & 0o777).toBe(0o600);
  const everything = [...said, server.said(), ...probes.map((p) => p.said())].join('\n');
  for (const secret of [...secrets, readFileSync(join(dataDir, 'admin.token'), 'utf8').trim()])
    expect(everything).not.toContain(secret);

  for (const probe of probes) probe.kill('SIGTERM');
  for (const probe of probes) expect((await probe.result).exitCode).toBe(0);
});
