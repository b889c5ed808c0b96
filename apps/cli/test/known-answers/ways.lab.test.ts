import { labStart, labSysctl } from '@plumbline/lab';
import { metricValue, type RunDocument } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attemptOf, FAR_ROUTER, metricsOf, NEAR_ROUTER, notesOf, routerRule, way } from './reading.js';
import { CLIENT, SERVER, SeedPath } from './seed-path.js';

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('ways');
});
afterAll(() => seed?.stop());

const atHop = (run: RunDocument, name: string, hop: number, n = 0) =>
  attemptOf(run, n).metrics.find((m) => m.name === name && m.labels?.hop === String(hop))?.value;
const rule = (what: 'add' | 'del', ...words: string[]) => routerRule(seed, what, ...words);

describe('reachability', () => {
  const ask = (port: number, count = 4) => seed.measure({ kind: 'reachability', port, count, intervalS: 0.1 });
  const shares = (run: RunDocument) =>
    ['open', 'closed', 'filtered', 'rejected'].map((state) => metricValue(run, 0, `port.${state}`));

  test('tells an open port from a closed one', async () => {
    const server = await labStart(seed.lab, 'server', ['iperf3', '-s', '-p', '5996']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    try {
      const run = await ask(5996);
      expect(shares(run)).toEqual([1, 0, 0, 0]);
      expect(metricValue(run, 0, 'rtt.min')).toBeGreaterThan(44);
    } finally {
      await server.stop();
    }
    expect(shares(await ask(5996))).toEqual([0, 1, 0, 0]);
  });

  test('and a filtered one, which is silent', async () => {
    await rule('add', 'ipproto', 'tcp', 'dport', '5995', 'blackhole');
    try {
      expect(shares(await ask(5995))).toEqual([0, 0, 1, 0]);
    } finally {
      await rule('del', 'ipproto', 'tcp', 'dport', '5995', 'blackhole');
    }
  });

  test('and a rejected one, and by whom; bare hping3 calls it 0 % loss', async () => {
    await labSysctl(seed.lab, 'router', 'net.ipv4.icmp_ratelimit', '0');
    await rule('add', 'ipproto', 'tcp', 'dport', '5994', 'prohibit');
    try {
      // The kernel sends five such errors to one host, then one a second (ip_error in net/ipv4/route.c).
      const run = await ask(5994, 2);
      expect(shares(run)).toEqual([0, 0, 0, 1]);
      expect(notesOf(run)).toMatch(
        new RegExp(`2 times from ${NEAR_ROUTER.replaceAll('.', '\\.')}: ICMP .*(filter|[Pp]rohibit|Unreachable)`),
      );
      const bare = await seed.exec('client', ['hping3', '-n', '-S', '-p', '5994', '-c', '2', '-i', 'u100000', SERVER]);
      expect(bare).toMatch(/2 packets received, 0% packet loss/);
    } finally {
      await rule('del', 'ipproto', 'tcp', 'dport', '5994', 'prohibit');
    }
  });
});

describe('trace', () => {
  test('shows the hops both ways; a router that limits its ICMP is not called lossy', async () => {
    await labSysctl(seed.lab, 'router', 'net.ipv4.icmp_ratelimit', '1000');
    const run = await seed.measure({ kind: 'trace', cycles: 12, direction: 'both' });
    expect(way(run, 'hops', 'forward')).toBe(2);
    expect(way(run, 'loss', 'forward')).toBe(0);
    expect(notesOf(run)).toContain(`1 ${NEAR_ROUTER}, 2 ${SERVER}`);
    expect(notesOf(run, 1)).toContain(`1 ${FAR_ROUTER}, 2 ${CLIENT}`);
    // The kernel answers with one error a second after a burst of six.
    expect(atHop(run, 'hop.unanswered', 1)).toBeGreaterThan(0.2);
    expect(atHop(run, 'hop.loss', 1)).toBe(0);
    expect(notesOf(run)).toContain('hop 1 limits its ICMP');
    expect(atHop(run, 'hop.rtt.min', 1)).toBeGreaterThan(4);
    expect(atHop(run, 'hop.rtt.min', 2)).toBeGreaterThan(44);
    expect(await seed.exec('client', ['tracepath', '-n', '-m', '5', SERVER])).toContain(NEAR_ROUTER);
  });

  test('calls a lossy link lossy', async () => {
    await labSysctl(seed.lab, 'router', 'net.ipv4.icmp_ratelimit', '0');
    await seed.set(1, 'ab', { command: 'loss', ratio: 0.3 });
    try {
      const run = await seed.measure({ kind: 'trace', cycles: 30 });
      expect(metricValue(run, 0, 'loss')).toBeGreaterThan(0.08);
      expect(atHop(run, 'hop.loss', 1)).toBeGreaterThan(0.05);
    } finally {
      await seed.set(1, 'ab', { command: 'loss', ratio: 0 });
    }
  });

  test.each([
    ['several flows of UDP take one way', { method: 'udp', flows: 3, cycles: 3 }, 'mtr'],
    ['by TCP SYNs of hping3', { method: 'tcp-syn', port: 5993 }, 'hping3'],
    ['by tracepath', { method: 'udp', tool: 'tracepath' }, 'tracepath'],
  ])('%s', async (_, more, tool) => {
    for (const host of ['router', 'server'] as const) await labSysctl(seed.lab, host, 'net.ipv4.icmp_ratelimit', '0');
    const run = await seed.measure({ kind: 'trace', ...more });
    expect(metricValue(run, 0, 'hops')).toBe(2);
    expect(metricValue(run, 0, 'flows.distinct')).toBe(1);
    expect(notesOf(run)).toContain(`1 ${NEAR_ROUTER}, 2 ${SERVER}`);
    expect(JSON.stringify(attemptOf(run))).toContain(`"tool":"${tool}"`);
  });

  test('says what of the way is not as it was the last time; read again it says the same', async () => {
    for (const host of ['router', 'server'] as const) await labSysctl(seed.lab, host, 'net.ipv4.icmp_ratelimit', '0');
    const trace = { kind: 'trace', method: 'tcp-syn', port: 5992 };
    const first = await seed.measure(trace);
    expect(metricsOf(first).find(({ name }) => name === 'hops.changed')).toMatchObject({ reason: 'no-earlier-one' });
    const same = await seed.measure(trace);
    expect(metricValue(same, 0, 'hops.changed')).toBe(0);
    expect(metricValue(same, 0, 'hops.before')).toBe(2);
    // The router answers from the address that its route back prefers.
    await seed.exec('router', ['ip', 'addr', 'add', '192.0.2.3/26', 'dev', 'wan1']);
    const route = ['192.0.2.0/26', 'dev', 'wan1', 'proto', 'kernel', 'scope', 'link', 'src'];
    await seed.exec('router', ['ip', 'route', 'replace', ...route, '192.0.2.3']);
    const changed = await seed.measure(trace);
    expect(metricValue(changed, 0, 'hops.changed')).toBe(1);
    const hop = { what: 'changed', hop: 1, before: [NEAR_ROUTER], after: ['192.0.2.3'] };
    expect(attemptOf(changed)).toMatchObject({ changes: { since: { run: same.id }, hops: [hop] } });
    expect(notesOf(changed)).toContain(`hop 1 is 192.0.2.3 and was ${NEAR_ROUTER}`);
    const again = await seed.product.must('POST', `/v1/runs/${changed.id}/legs/0/steps/0/attempts/0/reparse`, {});
    expect(again).toMatchObject({ differences: [] });
    await seed.exec('router', ['ip', 'route', 'replace', ...route, NEAR_ROUTER]);
    await seed.exec('router', ['ip', 'addr', 'del', '192.0.2.3/26', 'dev', 'wan1']);
  });

  test('over IPv6', async () => {
    if (!seed.hasIpv6) return;
    const run = await seed.measure({ kind: 'trace', cycles: 3 }, { path: seed.path6 });
    expect(metricValue(run, 0, 'hops')).toBe(2);
  });
});

describe('hop-characterization', () => {
  test('finds the slow link and says how well it fits', async () => {
    for (const host of ['router', 'server'] as const) await labSysctl(seed.lab, host, 'net.ipv4.icmp_ratelimit', '0');
    const run = await seed.measure(
      { kind: 'hop-characterization', sizes: 12, repetitions: 8, maxHops: 5 },
      { forMs: 90_000 },
    );
    expect(metricValue(run, 0, 'hops')).toBe(2);
    const [fast, slow] = [1, 2].map((hop) => atHop(run, 'hop.rate', hop));
    expect(atHop(run, 'hop.r2', 2)).toBeGreaterThan(0.9);
    expect(slow).toBeGreaterThan(15e6);
    expect(slow).toBeLessThan(26e6);
    if (typeof fast === 'number') expect(fast).toBeGreaterThan(40e6);
    expect(metricValue(run, 0, 'path.rate')).toBe(slow);
  });
});
