import { describe, expect, test } from 'vitest';
import { parseSs } from './parse.js';

/*
 * Field cases A59 and A61 of docs/field-cases.md. Forms: misc/ss.c, tcp_stats_print and print_skmeminfo, of iproute2 v4.20.0,
 * v5.18.0, v6.6.0 and v7.1.0 (iproute2/iproute2); numbers of our own.
 */
const HEAD = 'ESTAB 0 0 192.0.2.1:47001 192.0.2.2:5301';
const sampleOf = (information: string) => {
  const { samples, notes } = parseSs(`${HEAD}\n\t ${information}\n`, 'near', 0);
  expect(notes).toEqual([]);
  return samples[0];
};
const SHARED = 'cubic wscale:7,9 rto:222 rtt:18.2/0.4 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:154 ssthresh:39';
/** A sender that lost nothing and was never limited: what each version prints of it. */
const QUIET = {
  'iproute2 4.20 on kernel 4.9': `ts sack ${SHARED} bytes_acked:1000 segs_out:9 segs_in:7 data_segs_out:8 send 98.0Mbps lastrcv:9 pacing_rate 117.6Mbps rcv_space:14480 minrtt:18.1`,
  'iproute2 4.20 on kernel 4.19': `ts sack ${SHARED} bytes_sent:1000 bytes_acked:1000 segs_out:9 segs_in:7 data_segs_out:8 send 98.0Mbps lastrcv:9 pacing_rate 117.6Mbps delivered:8 busy:100ms rcv_space:14480 rcv_ssthresh:64088 minrtt:18.1`,
  'iproute2 5.18': `ts sack ${SHARED} bytes_sent:1000 bytes_acked:1000 segs_out:9 segs_in:7 data_segs_out:8 send 98024000bps lastrcv:9 pacing_rate 117628800bps delivery_rate 97000000bps delivered:8 app_limited busy:100ms rcv_space:14480 rcv_ssthresh:64088 minrtt:18.1 snd_wnd:3145728`,
  'iproute2 7.1': `ts usec_ts sack ecn ecnseen ${SHARED} bytes_sent:1000 bytes_acked:1000 segs_out:9 segs_in:7 data_segs_out:8 send 98024000bps lastrcv:9 pacing_rate 117628800bps delivery_rate 97000000bps delivered:8 app_limited busy:100ms rcv_space:14480 rcv_ssthresh:64088 minrtt:18.1 snd_wnd:3145728 rcv_wnd:64256 rehash:1`,
} as const;

describe('A59: a field that is not there', () => {
  const since419 = [
    'bytesRetransmitted',
    'dsackDuplicates',
    'reorderingSeen',
    'busyMs',
    'rwndLimitedMs',
    'sndbufLimitedMs',
  ];
  test.each([
    ['iproute2 4.20 on kernel 4.9', [], ['sndWndBytes', 'rcvWndBytes', 'rcvRttMs', 'appLimited', ...since419]],
    [
      'iproute2 4.20 on kernel 4.19',
      since419.filter((f) => f !== 'busyMs'),
      ['sndWndBytes', 'rcvWndBytes', 'rcvRttMs'],
    ],
    ['iproute2 5.18', since419.filter((f) => f !== 'busyMs'), ['rcvWndBytes', 'rcvRttMs']],
    ['iproute2 7.1', since419.filter((f) => f !== 'busyMs'), ['rcvRttMs']],
  ] as const)('%s: 0 only where the version counts it', (version, zeros, unknown) => {
    const sample = sampleOf(QUIET[version]);
    for (const field of [...zeros, 'segmentsRetransmitted', 'segmentsLost', 'unackedSegments', 'segmentsSacked'])
      expect(sample, field).toHaveProperty(field, 0);
    for (const field of unknown) expect(sample, field).not.toHaveProperty(field);
    expect(sample).toMatchObject({ congestionControl: 'cubic', rttMs: 18.2, cwndSegments: 154, minRttMs: 18.1 });
    expect(sample?.sendBps).toBeCloseTo(98.024e6, -5);
  });

  test('of a receiver nothing is made up: it has no congestion window that says so', () => {
    const sample = sampleOf('cubic wscale:7,9 rto:200 ato:40 mss:1448 rcv_rtt:18.5 rcv_space:65536');
    for (const field of ['segmentsRetransmitted', 'bytesRetransmitted', 'busyMs', 'cwndSegments'])
      expect(sample).not.toHaveProperty(field);
    expect(sample).toMatchObject({ rcvRttMs: 18.5, rcvSpaceBytes: 65_536 });
  });

  test('a key that stands there and cannot be read is unknown, not its default', () => {
    const sample = sampleOf(
      QUIET['iproute2 7.1'].replace('busy:100ms', 'busy:soon retrans:some').replace('cwnd:154', 'cwnd:'),
    );
    for (const field of ['busyMs', 'segmentsRetransmitted', 'cwndSegments']) expect(sample).not.toHaveProperty(field);
  });

  test('bare words are flags wherever they stand, and the last before the values is the algorithm', () => {
    for (const flags of ['', 'ts sack', 'ts usec_ts sack ecn ecnseen fastopen'])
      expect(sampleOf(`${flags} bbr wscale:7,7 cwnd:10 app_limited bytes_sent:5 bidir`)).toMatchObject({
        congestionControl: 'bbr',
        appLimited: true,
      });
  });
});

describe('A61: groups', () => {
  const skmem = 'skmem:(r0,rb131072,t0,tb2626560,f0,w0,o0,bl0,d0)';
  test.each([
    ['bbr:(bw:94.2Mbps,mrtt:18.1,pacing_gain:1.25,cwnd_gain:2)', { bbrBwBps: 94.2e6, bbrMinRttMs: 18.1 }],
    ['bbr:(bw:94200000bps,mrtt:18.1)', { bbrBwBps: 94.2e6, bbrMinRttMs: 18.1 }],
    ['dctcp:fallback_mode', {}],
    ['dctcp:(ce_state:0,alpha:1024,ab_ecn:0,ab_tot:0)', {}],
    [skmem, { rcvBufBytes: 131_072, sndBufBytes: 2_626_560 }],
    [skmem.replace(',bl0,d0', ''), { rcvBufBytes: 131_072, sndBufBytes: 2_626_560 }],
    [
      'busy:10000ms rwnd_limited:8200ms(82.0%) sndbuf_limited:40ms(0.4%)',
      { busyMs: 10_000, rwndLimitedMs: 8200, sndbufLimitedMs: 40 },
    ],
    ['retrans:0/42', { segmentsRetransmitted: 42 }],
    ['retrans:3/42 lost:2 sacked:7', { segmentsRetransmitted: 42, segmentsLost: 2, segmentsSacked: 7 }],
    ['rtt:18.2/0.4', { rttMs: 18.2, rttVarMs: 0.4 }],
    ['rtt:1.5e+03/0.001', { rttMs: 1500, rttVarMs: 0.001 }],
    ['pacing_rate 116.6Mbps/1.0Gbps', { pacingBps: 116.6e6 }],
    ['wscale:7,9', { sndWscale: 7, rcvWscale: 9 }],
  ])('%s', (group, expected) => {
    const sample = sampleOf(`ts sack cubic ${group} cwnd:10`);
    expect(sample).toMatchObject({ congestionControl: 'cubic', cwndSegments: 10, ...expected });
    expect(sample).not.toHaveProperty('other');
  });

  test('window scaling that was not negotiated is absent, not a shift of 0', () => {
    const sample = sampleOf('ts sack cubic rto:222 rtt:18.2/0.4 mss:1448 cwnd:10 snd_wnd:65535');
    expect(sample).not.toHaveProperty('sndWscale');
    expect(sample).not.toHaveProperty('rcvWscale');
    expect(sampleOf('cubic wscale:0,7 cwnd:10')).toMatchObject({ sndWscale: 0, rcvWscale: 7 });
  });
});
