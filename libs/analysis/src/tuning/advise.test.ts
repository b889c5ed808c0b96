import { describe, expect, test } from 'vitest';
import { adviceOn, flow, holds, host, leg } from '../test-support/advice-facts.js';
import { receiveBufferBytes, sendBufferBytes, windowShareOf } from './buffers.js';

describe('a window that is too small', () => {
  // 965.33 Mbit/s of payload over 18 ms: 2,172,000 bytes in flight.
  const target = { rateBps: (1e9 * 1448) / 1500, rttMs: 18, bdpBytes: 2_172_000 };

  test('both ends get a file with the maximum only, made for the path’s product and no larger', () => {
    const advice = adviceOn(leg([flow()]), holds('receive-window-limited'));
    const [source, destination] = advice.hosts;
    expect(advice.target).toMatchObject({ rttMs: 18, bdpBytes: 2_172_000 });
    // 2,172,000 * 1.5 * 256 / 170 = 4,906,165, in steps of 64 KiB.
    expect(destination?.changes).toMatchObject([
      { key: 'net.ipv4.tcp_rmem', current: '4096 131072 851968', proposed: '4096 131072 4915200', scope: 'namespace' },
    ]);
    expect(source?.changes).toMatchObject([{ key: 'net.ipv4.tcp_wmem', proposed: '4096 16384 6553600' }]);
    expect(destination?.file?.path).toBe('/etc/sysctl.d/90-plumbline-ber-par.conf');
    expect(destination?.file?.text).toContain('\nnet.ipv4.tcp_rmem = 4096 131072 4915200\n');
    expect(destination?.undo).toEqual([
      'rm -f /etc/sysctl.d/90-plumbline-ber-par.conf',
      "sysctl -w net.ipv4.tcp_rmem='4096 131072 851968'",
    ]);
    expect(destination?.cautions.join(' ')).toMatch(/default .* as they are/);
    expect(advice.summary).toMatch(/source \(ber\) and the destination \(par\)/);
  });

  test('each line of the file is a comment, empty, or one key and its value (sysctl.d(5))', () => {
    for (const { file } of adviceOn(leg([flow()]), holds('receive-window-limited')).hosts)
      for (const line of file?.text.split('\n') ?? []) expect(line).toMatch(/^(#.*|net\.[a-z0-9_.]+ = [\w ]+|)$/);
  });

  test('what is large enough already stays: advice after the advice changes nothing', () => {
    const raised = host({
      tcpRmem: { minBytes: 4096, defaultBytes: 131_072, maxBytes: 4_915_200 },
      tcpWmem: { minBytes: 4096, defaultBytes: 16_384, maxBytes: 6_553_600 },
    });
    const advice = adviceOn(leg([flow({}, raised, raised)]), holds('receive-window-limited'));
    expect(advice.hosts.flatMap(({ changes }) => changes)).toEqual([]);
    expect(advice.hosts.map(({ file }) => file)).toEqual([undefined, undefined]);
  });

  test('in reverse the ends change their parts; both ways together ask both of both', () => {
    const reverse = flow({ direction: 'reverse', labels: { direction: 'reverse' } });
    const only = adviceOn(leg([reverse]), holds('receive-window-limited', { direction: 'reverse' }));
    expect(only.hosts.map(({ changes }) => changes.map(({ key }) => key))).toEqual([
      ['net.ipv4.tcp_rmem'],
      ['net.ipv4.tcp_wmem'],
    ]);
    const both = adviceOn(
      leg([flow(), reverse]),
      holds('receive-window-limited'),
      holds('receive-window-limited', { direction: 'reverse' }),
    );
    for (const { changes } of both.hosts)
      expect(changes.map(({ key }) => key).sort()).toEqual(['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']);
  });

  test('nothing is guessed: without a rate, or without the present values, it says what is missing', () => {
    const noRate = adviceOn(
      leg([flow({ throughputBps: undefined })], { committedRateBps: undefined }),
      holds('receive-window-limited'),
    );
    expect(noRate.hosts[0]?.changes).toEqual([]);
    expect(noRate.hosts[0]?.missing.join()).toContain('committedRateBps');
    const bare = host({ tcpRmem: undefined, tcpWmem: undefined });
    const noFacts = adviceOn(leg([flow({}, bare, bare)]), holds('send-buffer-limited'));
    expect(noFacts.hosts.map(({ missing }) => missing)).toEqual([
      ['net.ipv4.tcp_wmem of this host'],
      ['net.ipv4.tcp_rmem of this host'],
    ]);
    expect(noFacts.summary).toMatch(/not known/);
  });

  test('how much of a buffer is window depends on the kernel', () => {
    expect(windowShareOf(host())).toBe(170 / 256);
    expect(windowShareOf(host({ kernel: '5.15.0' }))).toBe(1 / 2);
    expect(windowShareOf(host({ kernel: '5.15.0', sysctls: { 'net.ipv4.tcp_adv_win_scale': '2' } }))).toBe(3 / 4);
    expect(windowShareOf(host({ kernel: '4.19.0', sysctls: { 'net.ipv4.tcp_adv_win_scale': '-2' } }))).toBe(1 / 4);
    expect(receiveBufferBytes(target, host({ kernel: '5.15.0' }))).toBe(
      Math.ceil((2_172_000 * 1.5 * 2) / 65_536) * 65_536,
    );
    expect(sendBufferBytes(target)).toBe(6_553_600);
  });

  test('huge buffers come with a warning (B11)', () => {
    const advice = adviceOn(
      leg([flow({ baselineRttMs: 300 })], { committedRateBps: 10e9 }),
      holds('receive-window-limited'),
    );
    expect(advice.hosts[1]?.cautions.join(' ')).toMatch(/collapse/);
  });
});

describe('other limits', () => {
  test('window scaling that a host switched off is switched on; stripped on the path, somebody else must act', () => {
    const off = host({ sysctls: { ...host().sysctls, 'net.ipv4.tcp_window_scaling': '0' } });
    const own = adviceOn(leg([flow({}, host(), off)]), holds('window-scaling-missing'));
    // With the option alone the flow would next wait for the buffer: 565,760 of 2,172,000 bytes.
    expect(own.hosts[1]?.changes).toMatchObject([
      { key: 'net.ipv4.tcp_window_scaling', current: '0', proposed: '1' },
      { key: 'net.ipv4.tcp_rmem', proposed: '4096 131072 4915200' },
    ]);
    expect(own.hosts[0]?.changes).toEqual([]);
    expect(own.requests).toEqual([]);
    const stripped = adviceOn(leg([flow()]), holds('window-scaling-missing'));
    expect(stripped.hosts.flatMap(({ changes }) => changes)).toEqual([]);
    expect(stripped.requests).toMatchObject([{ code: 'window-scaling-missing', who: 'network administrator' }]);
  });

  test('random loss: bbr at the sender only, fq below 4.13 (B42), buffers that would bind next (B7), and the carrier all the same', () => {
    const advice = adviceOn(leg([flow()]), holds('loss-limited'));
    expect(advice.hosts.map(({ changes }) => changes.map(({ key, proposed }) => `${key}=${proposed}`))).toEqual([
      ['net.ipv4.tcp_congestion_control=bbr'],
      // What loss held down needs the whole window as soon as it does not (B7); the sender's 4 MiB carry it.
      ['net.ipv4.tcp_rmem=4096 131072 4915200'],
    ]);
    expect(advice.requests).toMatchObject([{ code: 'loss-limited', who: 'carrier' }]);
    const old = host({ kernel: '4.9.0' });
    expect(adviceOn(leg([flow({}, old)]), holds('loss-limited')).hosts[0]?.changes.map(({ key }) => key)).toContain(
      'net.core.default_qdisc',
    );
    const none = host({ congestionControlsAvailable: ['reno', 'cubic'] });
    expect(adviceOn(leg([flow({}, none)]), holds('loss-limited')).hosts[0]).toMatchObject({
      changes: [],
      missing: [expect.stringContaining('bbr')],
    });
  });

  test.each([
    ['link-limited', 'carrier'],
    ['policed', 'carrier'],
    ['rtt-bound', 'application owner'],
    ['host-cpu-limited', 'host administrator'],
    ['competing-traffic', 'network administrator'],
  ] as const)('%s is not tunable: the %s can act', (code, who) => {
    const advice = adviceOn(leg([flow()]), holds(code));
    expect(advice.hosts.flatMap(({ changes }) => changes)).toEqual([]);
    expect(advice.requests).toMatchObject([{ code, who }]);
    expect(advice.summary).toMatch(/^No setting of these hosts/);
  });

  test('rmem_max and wmem_max only for an application that sets its buffers, and only up to what it asks', () => {
    const advice = adviceOn(leg([flow({ asked: { windowBytes: 4_000_000 } })]), holds('application-window-limited'));
    expect(
      advice.hosts.map(({ changes }) => changes.map(({ key, proposed, scope }) => [key, proposed, scope])),
    ).toEqual([[['net.core.wmem_max', '4000000', 'host']], [['net.core.rmem_max', '4000000', 'host']]]);
    const small = adviceOn(leg([flow({ asked: { windowBytes: 65_536 } })]), holds('application-window-limited'));
    expect(small.hosts.flatMap(({ changes }) => changes)).toEqual([]);
    expect(small.requests).toMatchObject([{ who: 'application owner' }]);
  });

  test('a black hole: TCP may find the size by itself', () => {
    const advice = adviceOn(leg([flow()]), holds('mtu-black-hole'));
    expect(advice.hosts[0]?.changes).toMatchObject([{ key: 'net.ipv4.tcp_mtu_probing', current: '0', proposed: '1' }]);
  });

  test('nothing found, nothing to do', () => {
    expect(adviceOn(leg([flow()]))).toMatchObject({ summary: 'Nothing has to change.', requests: [] });
  });
});
