import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROBLEM_BASE } from '@plumbline/model';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { fakeControlPlane, plumb } from './in-process.js';

const TOKEN = 'plb_a-token-that-must-not-be-shown';
const env = { PLUMBLINE_TOKEN: TOKEN };
let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'plumb-cli-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

describe('the command line', () => {
  it('explains itself', async () => {
    const { code, out } = await plumb(['--help']);
    expect(code).toBe(0);
    for (const name of ['up', 'start', 'probe', 'site', 'path', 'plan', 'run', 'reparse', 'diagnose', 'lab'])
      expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it('says its version', async () => {
    expect(await plumb(['--version'])).toEqual({ code: 0, out: '0.1.0\n', err: '' });
  });

  it.each([
    [['nonsense'], /unknown command/],
    [['run', '--nonsense'], /unknown option/],
    [['site', 'add', 'x'], /--time-zone/],
    [['up', '--port', 'http'], /whole number from 0 to 65535/],
    [['up', '--host', '0.0.0.0'], /without TLS/],
    [['up', '--tls-cert', 'x'], /both/],
    [['run'], /needs a plan/],
    [['run', 'p'], /at least one path/],
    [['probe'], /needs --name, --site, --listen, --endpoint, --data-dir/],
    [['probe', '--name', 'x', '--site', 's'], /needs --listen, --endpoint, --data-dir/],
    [['path', 'add', 'x', '--from', 'a/b'], /both ends/],
    [['path', 'add', 'x', '--from', 'a', '--to', 'c/d'], /no endpoint/],
    [['plan', 'put', 'x', '-f', 'gone.json'], /cannot be read/],
    [['lab', 'up', '--rate', '200M'], /round-trip time/],
    [['lab', 'up', '--rate', 'fast', '--rtt', '1ms'], /not a rate/],
    [['lab', 'set', '3', 'rate', '1M'], /no link/],
    [['site', 'list', '--server', 'nonsense'], /not the address/],
  ])('plumb %s is a mistake in the line: 2, with what to type', async (argv, sentence) => {
    const { code, out, err } = await plumb(argv, { env, cwd });
    expect(err).toMatch(sentence);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/^plumb: /);
  });

  it.each([
    [{ DATABASE_URL: 'postgresql://u:hunter2@h/d' }, 'REDIS_URL'],
    [{ REDIS_URL: 'redis://:hunter2@h' }, 'DATABASE_URL'],
  ])('%o alone is refused, without its password', async (set, missing) => {
    const { code, err } = await plumb(['up', '--no-demo'], { env: set, cwd });
    expect(code).toBe(2);
    expect(err).toContain(missing);
    expect(err).not.toContain('hunter2');
    expect(await readdir(cwd)).toEqual([]);
  });

  it('names what to start when nothing answers', async () => {
    const { url, close } = await fakeControlPlane(() => undefined);
    await close();
    const { code, err } = await plumb(['site', 'list', '--server', url], { env });
    expect(code).toBe(1);
    expect(err).toContain(`nothing answers at ${url} (ECONNREFUSED)`);
    expect(err).toContain(`Start it with: plumb up --port ${new URL(url).port}`);
  });
});

describe('with a control plane', () => {
  const site = {
    name: 'ber',
    timeZone: 'Europe/Berlin',
    labels: { tier: '1' },
    createdAt: '2026-11-30T16:00:00.000Z',
    updatedAt: '2026-11-30T16:00:00.000Z',
  };

  test('a list is a table, or JSON', async () => {
    const server = await fakeControlPlane(() => ({ body: { items: [site] } }));
    const table = await plumb(['site', 'list', '--server', server.url], { env });
    const json = await plumb(['site', 'list', '--json', '--server', server.url], { env });
    await server.close();
    expect(table).toEqual({ code: 0, out: 'name  time zone      labels\nber   Europe/Berlin  tier=1\n', err: '' });
    expect(JSON.parse(json.out)).toEqual({ items: [site] });
    expect(server.asked[0]?.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test('a list goes on over pages, up to its limit', async () => {
    const server = await fakeControlPlane(({ path }) => {
      const n = Number(/pageToken=(\d+)/.exec(path)?.[1] ?? 0);
      return { body: { items: [{ ...site, name: `s${n}` }], nextPageToken: String(n + 1) } };
    });
    const { out, err } = await plumb(['site', 'list', '--limit', '3', '--server', server.url], { env });
    await server.close();
    expect(
      out
        .split('\n')
        .slice(1, 4)
        .map((l) => l.slice(0, 2)),
    ).toEqual(['s0', 's1', 's2']);
    expect(err).toContain('more than 3');
    expect(server.asked).toHaveLength(3);
  });

  test('an empty list says what to type', async () => {
    const server = await fakeControlPlane(() => ({ body: { items: [] } }));
    const { out } = await plumb(['path', 'list', '--server', server.url], { env });
    await server.close();
    expect(out).toContain('Next: plumb path add');
  });

  test('a path is sent as the API has it', async () => {
    const server = await fakeControlPlane(() => ({ body: {} }));
    const flags = ['--from', 'a/x', '--to', 'b/y', '--rate', '200M', '--rtt', '18', '--loss', '0.001', '--mtu', '1500'];
    await plumb(['path', 'add', 'p', ...flags, '--shared-link', 'uplink=2', '--server', server.url], { env });
    await server.close();
    expect(server.asked).toMatchObject([{ method: 'PUT', path: '/v1/paths/p' }]);
    expect(server.asked[0]?.body).toEqual({
      source: { probe: 'a', endpoint: 'x' },
      destination: { probe: 'b', endpoint: 'y' },
      committedRateBps: 200e6,
      expectedRttMs: 18,
      expectedLossRatio: 0.001,
      mtu: 1500,
      sharedLinks: [{ name: 'uplink', capacity: 2 }],
    });
  });

  test('a plan is read from standard input; what is no plan is not sent', async () => {
    const server = await fakeControlPlane(() => ({ body: { version: 4 } }));
    const put = (stdin: string) => plumb(['plan', 'put', 'p', '-f', '-', '--server', server.url], { env, stdin });
    expect((await put('{"tests":[{"kind":"rtt"}]}')).out).toBe('The plan p is stored as version 4.\n');
    expect((await put('{"tests":')).code).toBe(2);
    expect((await put('[]')).code).toBe(2);
    await server.close();
    expect(server.asked).toHaveLength(1);
  });

  test('a problem is one sentence, its fields, and what to type', async () => {
    const type = `${PROBLEM_BASE}invalid-request`;
    const errors = [{ pointer: '/timeZone', detail: 'an IANA time zone, such as Europe/Berlin' }];
    const server = await fakeControlPlane(() => ({
      status: 422,
      body: { type, title: 'The request is not valid', status: 422, errors },
    }));
    const { code, err } = await plumb(['site', 'add', 'x', '--time-zone', 'Mars', '--server', server.url], { env });
    await server.close();
    expect(code).toBe(1);
    expect(err).toBe(
      'plumb: Adding site x failed: The request is not valid.\n  timeZone: an IANA time zone, such as Europe/Berlin\n',
    );
  });

  test('a refused token is said, and never shown', async () => {
    const body = { type: `${PROBLEM_BASE}unauthorized`, title: 'A valid token is needed', status: 401 };
    const server = await fakeControlPlane(() => ({ status: 401, body }));
    const { code, out, err } = await plumb(['run', 'list', '--server', server.url], {
      env: { ...env, PLUMBLINE_DEBUG: '1' },
    });
    await server.close();
    expect(code).toBe(1);
    expect(err).toContain('Next: give the token');
    expect(out + err).not.toContain(TOKEN);
  });

  test('a run that is not waited for prints its id', async () => {
    const id = '0192f0c1-0000-7000-8000-000000000000';
    const server = await fakeControlPlane(() => ({ status: 202, body: { id, state: 'queued' } }));
    const { code, out } = await plumb(
      ['run', 'p', '--path', 'a', '--path', 'b', '--no-wait', '--json', '--server', server.url],
      { env },
    );
    await server.close();
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ id });
    expect(server.asked[0]?.body).toEqual({ plan: 'p', paths: ['a', 'b'] });
  });

  describe('a run that is waited for', () => {
    const id = '0192f0c1-0000-7000-8000-000000000000';
    const step = {
      kind: 'rtt',
      state: 'succeeded',
      startedAt: null,
      endedAt: null,
      metrics: [],
      findings: [],
      attempts: [],
    };
    const leg = {
      path: 'a',
      state: 'succeeded',
      verdict: 'none',
      criteria: [],
      startedAt: null,
      endedAt: null,
      steps: [step],
    };
    const run = {
      id,
      state: 'succeeded',
      verdict: 'none',
      plan: { name: 'p', version: 1, tests: [{ kind: 'rtt' }], criteria: [] },
      priority: 0,
      createdAt: '2026-11-30T16:00:00.000Z',
      startedAt: null,
      endedAt: null,
      legs: [leg],
    };
    const events = [
      { event: 'run', data: { state: 'running' } },
      { event: 'step', data: { leg: 0, step: 0, state: 'running' } },
      { event: 'news of a later version', data: {} },
      { event: 'run', data: { state: 'succeeded', verdict: 'none' } },
    ];

    async function waitFor(end: object, ...flags: string[]) {
      const server = await fakeControlPlane(({ method, path }) => {
        if (method === 'POST') return { status: 202, body: { id, state: 'queued' } };
        return path.endsWith('/events') ? { events } : { body: { ...run, ...end } };
      });
      const ran = await plumb(['run', 'p', '--path', 'a', ...flags, '--server', server.url], { env });
      await server.close();
      return ran;
    }

    it.each([
      [{}, 0],
      [{ verdict: 'pass' }, 0],
      [{ verdict: 'inconclusive' }, 0],
      [{ verdict: 'fail' }, 1],
      [{ state: 'failed' }, 1],
      [{ state: 'cancelled' }, 1],
    ])('ending with %o is exit code %d', async (end, code) => {
      expect((await waitFor(end)).code).toBe(code);
    });

    it('shows its result first, and progress only where it was asked for or somebody looks', async () => {
      const quiet = await waitFor({});
      expect(quiet.out).toMatch(/^succeeded, verdict none/);
      expect(quiet.err).toBe(`run ${id}\n`);
      expect((await waitFor({}, '--watch')).err).toContain('rtt (1 of 1)');
    });

    it('prints the run document alone with --json', async () => {
      const { out, err } = await waitFor({}, '--json');
      expect(JSON.parse(out)).toMatchObject({ id, state: 'succeeded' });
      expect(err).toBe('');
    });
  });

  test('an enrolment token goes into a file for its owner alone, and nowhere else', async () => {
    const secret = 'plbe_secret.abc.berlin';
    const body = { token: secret, expiresAt: '2026-11-30T16:15:00.000Z', caSha256: 'abc' };
    const server = await fakeControlPlane(() => ({ body }));
    const ask = () => plumb(['probe', 'enrolment', 'berlin', '--server', server.url], { env, cwd });
    const { code, out, err } = await ask();
    const file = join(cwd, 'berlin.enrolment');
    expect(code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(`${secret}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(out + err).not.toContain(secret);
    expect(out).toContain('plumb probe enrol');
    expect((await ask()).code).toBe(2);
    expect(server.asked).toHaveLength(1);
    await server.close();
  });

  test('what is to be typed next names the file that was made', async () => {
    const body = { token: 'plbe_x.abc.berlin', expiresAt: '2026-11-30T16:15:00.000Z', caSha256: 'abc' };
    const server = await fakeControlPlane(() => ({ body }));
    const flags = ['--out', 'p1.enr', '--server', server.url];
    const { out } = await plumb(['probe', 'enrolment', 'berlin', ...flags], { env, cwd });
    await server.close();
    expect(await readdir(cwd)).toEqual(['p1.enr']);
    expect(out).toContain('--token-file p1.enr --data-dir');
  });

  test('events are JSON lines, with --json as without', async () => {
    const events = [{ event: 'run', data: { state: 'succeeded', verdict: 'none' } }];
    const server = await fakeControlPlane(() => ({ events }));
    const printed = async (...flags: string[]) =>
      (await plumb(['run', 'events', 'id', ...flags, '--server', server.url], { env })).out;
    const out = await printed('--json');
    expect(out).toBe(await printed());
    expect(JSON.parse(out)).toMatchObject({ event: 'run', state: 'succeeded' });
    await server.close();
  });

  test('an enrolment that is refused leaves no file', async () => {
    const server = await fakeControlPlane(() => ({
      status: 404,
      body: { type: `${PROBLEM_BASE}not-found`, title: 'No', status: 404 },
    }));
    const { code } = await plumb(['probe', 'enrolment', 'berlin', '--server', server.url], { env, cwd });
    await server.close();
    expect(code).toBe(1);
    expect(await readdir(cwd)).toEqual([]);
  });

  test('raw bytes are printed as they are, but not onto a terminal when they are no text', async () => {
    const server = await fakeControlPlane(() => ({ body: 'x\u0007y' }));
    const raw = (columns?: number) =>
      plumb(['run', 'raw', 'id', '--step', '1', '--server', server.url], { env, columns });
    expect((await raw()).out).toBe('"x\\u0007y"');
    await server.close();
    expect(server.asked[0]?.path).toBe('/v1/runs/id/legs/0/steps/1/attempts/0/raw');
  });
});

describe('diagnose', () => {
  const finding = {
    code: 'receive-window-limited',
    holds: 'yes',
    evidence: { measuredBps: 75.2e6, windowBytes: 174_000 },
    predictedCeilingBps: 76e6,
    text: 'The window of 174 kB allows 76 Mbit/s.',
  };
  const diagnosis = { ruleSet: '2', headline: '75 of 200 Mbit/s', limitedBy: 'our-host' };
  const changes = [{ step: 1, code: finding.code, before: { ...finding, holds: 'cannot-tell' }, after: finding }];
  const leg = {
    leg: 0,
    path: 'a',
    before: { ...diagnosis, ruleSet: '1' },
    after: diagnosis,
    findings: [[], [finding]],
  };
  const again = (stored: boolean) => ({ stored, ruleSet: '2', legs: [{ ...leg, changes }] });

  test('shows what the rules say now, what differs from the record, and that nothing was changed', async () => {
    const server = await fakeControlPlane(() => ({ body: again(false) }));
    const { code, out } = await plumb(['diagnose', 'id', '--server', server.url], { env });
    await server.close();
    expect(code).toBe(0);
    expect(server.asked[0]).toMatchObject({ method: 'POST', path: '/v1/runs/id/diagnosis', body: { store: false } });
    expect(out).toContain('75 of 200 Mbit/s\n  limited by: our host');
    expect(out).toContain('! receive-window-limited: The window of 174 kB allows 76 Mbit/s.');
    expect(out).toMatch(/1\s+receive-window-limited\s+cannot-tell: .*yes: /);
    expect(out).toContain('1 findings differ from the record (rules of 1)');
    expect(out).toContain('Nothing was changed.');
  });

  test('with store the record follows; with json everything is there', async () => {
    const server = await fakeControlPlane(() => ({ body: again(true) }));
    const stored = await plumb(['diagnose', 'id', '--store', '--server', server.url], { env });
    const json = await plumb(['diagnose', 'id', '--store', '--json', '--server', server.url], { env });
    await server.close();
    expect(server.asked[0]?.body).toEqual({ store: true });
    expect(stored.out).toContain('The record is now what the rules of 2 say.');
    expect(JSON.parse(json.out)).toEqual(again(true));
  });
});

describe('reparse', () => {
  const reading = { outcome: 'completed', metrics: [], notes: [] };
  const answer = (more: object) => ({
    body: { stored: false, before: reading, after: reading, differences: [], moreDifferences: 0, ...more },
  });
  const differences = [{ path: '/metrics/throughput', before: 19e6, after: { unknown: 'attempt-failed' } }];

  test('shows where the new reading differs, and changes nothing by itself', async () => {
    const server = await fakeControlPlane(() => answer({ differences, moreDifferences: 3 }));
    const { code, out } = await plumb(['reparse', 'id', '--step', '1', '--server', server.url], { env });
    await server.close();
    expect(code).toBe(0);
    expect(out).toMatch(/\/metrics\/throughput +19000000 +\{"unknown":"attempt-failed"\}/);
    expect(out).toMatch(/and 3 more[\s\S]*--store/);
    expect(server.asked[0]).toMatchObject({
      path: '/v1/runs/id/legs/0/steps/1/attempts/0/reparse',
      body: { store: false },
    });
  });
  test('stores it when told to, and says that nothing differs', async () => {
    const server = await fakeControlPlane(() => answer({ stored: true }));
    const { out } = await plumb(['reparse', 'id', '--store', '--server', server.url], { env });
    await server.close();
    expect(out).toMatch(/is the same[\s\S]*The record is now the new reading/);
    expect(server.asked[0]).toMatchObject({ body: { store: true } });
  });
  test('says why it cannot', async () => {
    const detail = 'The attempt cannot be read again: its run has not ended yet.';
    const body = { type: `${PROBLEM_BASE}not-reparsable`, title: 'No', status: 409, detail };
    const server = await fakeControlPlane(() => ({ status: 409, body }));
    const { code, err } = await plumb(['reparse', 'id', '--server', server.url], { env });
    await server.close();
    expect(code).toBe(1);
    expect(err).toContain('its run has not ended yet');
  });
});

test('the token file of the state folder is found without being named', async () => {
  const server = await fakeControlPlane(() => ({ body: { items: [] } }));
  await writeFile(join(cwd, 'token'), `${TOKEN}\n`);
  await plumb(['site', 'list', '--token-file', 'token', '--server', server.url], { cwd });
  await server.close();
  expect(server.asked[0]?.authorization).toBe(`Bearer ${TOKEN}`);
});
