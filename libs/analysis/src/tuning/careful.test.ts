import type { Advice, FindingCode, HostSnapshot } from '@plumbline/model';
import { Advice as AdviceSchema } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adviceOn, flow, holds, host, leg } from '../test-support/advice-facts.js';

const keysOf = ({ hosts }: Advice) => hosts.map(({ changes }) => changes.map(({ key }) => key));
const missingOf = ({ hosts }: Advice) => hosts.flatMap(({ missing }) => missing).join('; ');
const maximumOf = (triple: string) => Number(triple.split(' ')[2]);

describe('what is not raised', () => {
  test.each(['policed', 'per-flow-capped'] as const)('buffers where the flow is %s (B29, B37)', (code) => {
    const advice = adviceOn(leg([flow()]), holds('receive-window-limited'), holds(code));
    expect(keysOf(advice)).toEqual([[], []]);
    expect(advice.requests.map((request) => request.code)).toContain(code);
  });

  test('a rate that the window itself holds down is no target: each round of advice would raise it again', () => {
    const advice = adviceOn(leg([flow()], { committedRateBps: undefined }), holds('receive-window-limited'));
    expect(advice.target).toBeUndefined();
    expect(keysOf(advice)).toEqual([[], []]);
    expect(missingOf(advice)).toContain('committedRateBps');
  });

  test('what no host held back is one, in its own direction', () => {
    const back = { direction: 'reverse' } as const;
    const flows = [
      flow({ direction: 'reverse', labels: back }),
      flow({ step: 1, direction: 'reverse', labels: back, streams: 8, throughputBps: 900e6 }),
    ];
    const advice = adviceOn(leg(flows, { committedRateBps: undefined }), holds('receive-window-limited', back));
    expect(advice.target).toMatchObject({ rateBps: 900e6, bdpBytes: 2_025_000 });
    expect(keysOf(advice)).toEqual([['net.ipv4.tcp_rmem'], ['net.ipv4.tcp_wmem']]);
  });

  test('without the kernel’s version neither its share of a buffer nor its need of fq is guessed', () => {
    const unknown = host({ kernel: undefined });
    const window = adviceOn(leg([flow({}, host(), unknown)]), holds('receive-window-limited'));
    expect(keysOf(window)).toEqual([['net.ipv4.tcp_wmem'], []]);
    expect(missingOf(window)).toContain('kernel version');
    const loss = adviceOn(leg([flow({}, unknown)]), holds('loss-limited'));
    expect(keysOf(loss)[0]).not.toContain('net.core.default_qdisc');
    expect(missingOf(loss)).toContain('kernel version');
  });

  test('no value is proposed that the kernel’s 32 bits do not hold, and one connection is not promised the path', () => {
    const advice = adviceOn(
      leg([flow({ baselineRttMs: 600 })], { committedRateBps: 100e9 }),
      holds('receive-window-limited'),
    );
    for (const { changes, cautions } of advice.hosts) {
      expect(maximumOf(changes[0]?.proposed ?? '')).toBe(2 ** 31 - 65_536);
      expect(cautions.join(' ')).toMatch(/No single connection can fill this path/);
    }
  });
});

describe('what comes with it', () => {
  test('memory beside tcp_mem, in bytes where the page is known; unknown is said', () => {
    const sysctls = { ...host().sysctls, 'net.ipv4.tcp_mem': '287898 383865 575796' };
    const known = host({ architecture: 'x86_64', sysctls });
    const advice = adviceOn(leg([flow({}, host(), known)]), holds('receive-window-limited'));
    // 575,796 pages of 4 KiB; 383,865 of them hold 319 buffers of 4,915,200 bytes.
    expect(advice.hosts[1]?.cautions.join(' ')).toMatch(/at the most 2.36 GB .*319 full ones/);
    expect(advice.hosts[0]?.cautions.join(' ')).toMatch(/not known here: read net.ipv4.tcp_mem/);
    const arm = host({ architecture: 'aarch64', sysctls });
    expect(
      adviceOn(leg([flow({}, host(), arm)]), holds('receive-window-limited')).hosts[1]?.cautions.join(' '),
    ).toMatch(/575796 pages/);
  });

  test('a threshold that the kernel remembers of the peer is flushed (B21); where none is kept nothing is', () => {
    const remembers = host({ cachedTcpMetrics: { ssthresh: '14', cwnd: '20' } });
    const advice = adviceOn(leg([flow({}, remembers)]), holds('receive-window-limited'));
    expect(advice.hosts.map(({ apply }) => apply)).toEqual([
      ['sysctl -p /etc/sysctl.d/90-plumbline-ber-par.conf', 'ip tcp_metrics flush all'],
      ['sysctl -p /etc/sysctl.d/90-plumbline-ber-par.conf'],
    ]);
  });

  test('autotuning that is switched off is switched on: else the maximum would change nothing', () => {
    const still = host({ sysctls: { ...host().sysctls, 'net.ipv4.tcp_moderate_rcvbuf': '0' } });
    const advice = adviceOn(leg([flow({}, host(), still)]), holds('receive-window-limited'));
    expect(advice.hosts[1]?.changes).toMatchObject([
      { key: 'net.ipv4.tcp_rmem' },
      { key: 'net.ipv4.tcp_moderate_rcvbuf', current: '0', proposed: '1' },
    ]);
  });

  test('a probe’s text never becomes part of a command', () => {
    const evil = host({ congestionControl: "cubic'; reboot; '" });
    const advice = adviceOn(leg([flow({}, evil)]), holds('loss-limited'));
    expect(JSON.stringify(advice)).not.toContain('reboot');
    expect(missingOf(advice)).toContain('net.ipv4.tcp_congestion_control of this host');
  });
});

/** The host after `sysctl -p` of its file, read from the file's own lines. */
function applied(before: HostSnapshot, text: string | undefined): HostSnapshot {
  let after = before;
  for (const line of text?.split('\n') ?? []) {
    if (line === '' || line.startsWith('#')) continue;
    const [key = '', value = ''] = line.split(' = ');
    const [minBytes = 0, defaultBytes = 0, maxBytes = 0] = value.split(' ').map(Number);
    if (key === 'net.ipv4.tcp_rmem') after = { ...after, tcpRmem: { minBytes, defaultBytes, maxBytes } };
    else if (key === 'net.ipv4.tcp_wmem') after = { ...after, tcpWmem: { minBytes, defaultBytes, maxBytes } };
    else if (key === 'net.ipv4.tcp_congestion_control') after = { ...after, congestionControl: value };
    else after = { ...after, sysctls: { ...after.sysctls, [key]: value } };
  }
  return after;
}

const anyHost = fc
  .record({
    kernel: fc.constantFrom('4.9.0', '4.19.1', '5.15.0', '6.5.3', '6.18.44-fc', undefined),
    rmem: fc.integer({ min: 4096, max: 2 ** 31 - 1 }),
    wmem: fc.integer({ min: 4096, max: 2 ** 31 - 1 }),
    algorithm: fc.constantFrom('cubic', 'reno', 'bbr'),
    available: fc.constantFrom<string[] | undefined>(['reno', 'cubic'], ['reno', 'cubic', 'bbr'], undefined),
    scaling: fc.constantFrom('0', '1'),
    moderate: fc.constantFrom('0', '1'),
    known: fc.boolean(),
  })
  .map(({ kernel, rmem, wmem, algorithm, available, scaling, moderate, known }) =>
    host({
      kernel,
      congestionControl: algorithm,
      congestionControlsAvailable: available,
      tcpRmem: known ? { minBytes: 4096, defaultBytes: 131_072, maxBytes: rmem } : undefined,
      tcpWmem: { minBytes: 4096, defaultBytes: 16_384, maxBytes: wmem },
      sysctls: {
        'net.ipv4.tcp_window_scaling': scaling,
        'net.ipv4.tcp_moderate_rcvbuf': moderate,
        'net.ipv4.tcp_mtu_probing': '0',
        'net.core.rmem_max': '212992',
        'net.core.wmem_max': '212992',
        'net.core.default_qdisc': 'pfifo_fast',
      },
    }),
  );

test('whatever is found: never lower, only the maximum, a readable file, an exact undo, and nothing left to do after it', () => {
  const codes = fc.subarray<FindingCode>([
    ...(['receive-window-limited', 'send-buffer-limited', 'window-scaling-missing', 'loss-limited'] as const),
    ...(['application-window-limited', 'mtu-black-hole', 'policed', 'link-limited'] as const),
  ]);
  const rate = fc.option(fc.double({ min: 1e4, max: 4e11, noNaN: true }), { nil: undefined });
  const rtt = fc.double({ min: 0.05, max: 1000, noNaN: true });
  const asked = fc.option(fc.integer({ min: 1024, max: 2 ** 28 }), { nil: undefined });
  let changed = 0;
  fc.assert(
    fc.property(anyHost, anyHost, codes, rate, rtt, asked, (sender, receiver, found, bps, rttMs, windowBytes) => {
      const given = (source: HostSnapshot, destination: HostSnapshot) =>
        adviceOn(
          leg([flow({ baselineRttMs: rttMs, asked: { windowBytes } }, source, destination)], { committedRateBps: bps }),
          ...found.map((code) => holds(code)),
        );
      const advice = given(sender, receiver);
      expect(AdviceSchema.safeParse(JSON.parse(JSON.stringify(advice))).success).toBe(true);
      expect(JSON.stringify(advice)).not.toMatch(/NaN|Infinity|undefined/);
      for (const { end, changes, file, undo } of advice.hosts) {
        changed += changes.length;
        const own = end === 'source' ? sender : receiver;
        expect(file === undefined).toBe(changes.length === 0);
        for (const { key, current, proposed } of changes) {
          expect(proposed).not.toBe(current);
          if (/mem/.test(key)) {
            const [now, then] = [current.split(' '), proposed.split(' ')];
            expect(then.slice(0, -1)).toEqual(now.slice(0, -1));
            expect(Number(then.at(-1))).toBeGreaterThan(Number(now.at(-1)));
            expect(Number(then.at(-1))).toBeLessThan(2 ** 31);
          }
          expect(undo).toContain(`sysctl -w ${key}='${current}'`);
          const triple = key.endsWith('tcp_rmem') ? own.tcpRmem : key.endsWith('tcp_wmem') ? own.tcpWmem : undefined;
          expect(current).toBe(
            triple
              ? `${triple.minBytes} ${triple.defaultBytes} ${triple.maxBytes}`
              : key.endsWith('congestion_control')
                ? own.congestionControl
                : own.sysctls[key],
          );
        }
        for (const line of file?.text.split('\n') ?? []) expect(line).toMatch(/^(#.*|net\.[a-z0-9_.]+ = [\w ]+|)$/);
      }
      const files = new Map(advice.hosts.map(({ end, file }) => [end, file?.text]));
      const after = given(applied(sender, files.get('source')), applied(receiver, files.get('destination')));
      expect(after.hosts.flatMap(({ changes }) => changes)).toEqual([]);
    }),
    { numRuns: 500, seed: 20261201 },
  );
  // The draws are no empty ones.
  expect(changed).toBeGreaterThan(200);
});
