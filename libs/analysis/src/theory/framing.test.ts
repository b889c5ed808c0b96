import { describe, expect, it, test } from 'vitest';
import { close } from '../test-support/close.js';
import {
  framesPerSecond,
  type IpVersion,
  segmentPayloadBytes,
  t3PayloadBps,
  tcpShareOfEthernet,
  tcpShareOfIp,
} from './framing.js';
import { convertRateBps, tcpPacketBytes, tcpPayloadCeilingBps, udpPacketBytes } from './rate-layer.js';
import { ESP_AES_CBC_SHA256, espTunnelMtuBytes, tunnelMtuBytes, tunnelOverheadBytes } from './tunnel.js';
import {
  lossFromCounts,
  udpDelivery,
  udpShareOfEthernet,
  udpShareOfIp,
  y1564InformationRateBps,
  y1564LineRateBps,
} from './udp-load.js';

describe('vector 5: TCP payload share', () => {
  test.each<[number, IpVersion, boolean, number, number, number, number]>([
    [1500, 4, false, 1460, 0.949285, 0.946822, 0.944373],
    [1500, 4, true, 1448, 0.941482, 0.93904, 0.936611],
    [1500, 6, false, 1440, 0.936281, 0.933852, 0.931436],
    [1500, 6, true, 1428, 0.928479, 0.92607, 0.923674],
    [9000, 4, false, 8960, 0.99137, 0.990931, 0.990493],
    [9000, 4, true, 8948, 0.990042, 0.989604, 0.989166],
    [9000, 6, false, 8940, 0.989157, 0.988719, 0.988282],
    [9000, 6, true, 8928, 0.987829, 0.987392, 0.986956],
  ])('MTU %d, IPv%d, timestamps %s', (mtuBytes, ipVersion, timestamps, mss, ...shares) => {
    shares.forEach((share, vlanTags) => {
      const framing = { mtuBytes, ipVersion, timestamps, vlanTags };
      expect(segmentPayloadBytes(framing)).toBe(mss);
      close(tcpShareOfEthernet(framing), share);
      close(tcpShareOfIp(framing), mss / mtuBytes);
    });
  });

  it('counts frames a second, and a T3 its own way', () => {
    close(framesPerSecond(1e9, 1500), 81_274.4);
    close(framesPerSecond(1e9, 1500, 1), 81_063.6);
    close(framesPerSecond(1e9, 9000), 13_830.5);
    expect(t3PayloadBps()).toBe(42_795_520);
  });

  it('says what a link of a name carries at each layer', () => {
    const framing = { mtuBytes: 1500, ipVersion: 4 as const, timestamps: true, vlanTags: 0 };
    close(tcpPayloadCeilingBps(20e6, 'ip', framing), 19_306_667);
    close(tcpPayloadCeilingBps(1e9, 'ip', framing), 965_333_333);
    close(tcpPayloadCeilingBps(1e9, 'ethernet', framing), 941_482_445);
    expect(tcpPayloadCeilingBps(1e9, 'payload', framing)).toBe(1e9);
    const packet = tcpPacketBytes(framing);
    close(convertRateBps(convertRateBps(7e6, 'payload', 'ethernet', packet), 'ethernet', 'payload', packet), 7e6);
    expect(convertRateBps(0, 'payload', 'ip', packet)).toBe(0);
  });
});

describe('tunnels', () => {
  test.each([
    ['vxlan', 50, 1450],
    ['geneve', 50, 1450],
    ['gre', 24, 1476],
    ['ipip', 20, 1480],
    ['wireguard', 60, 1440],
    ['gtp-u', 36, 1464],
    ['pppoe', 8, 1492],
    ['mpls', 4, 1496],
  ] as const)('%s takes %d B', (tunnel, overhead, mtu) => {
    expect(tunnelOverheadBytes(tunnel)).toBe(overhead);
    expect(tunnelMtuBytes(tunnel, 1500)).toBe(mtu);
  });

  it('takes 20 more over IPv6 where there is an outer IP header', () => {
    expect(tunnelOverheadBytes('wireguard', 6)).toBe(80);
    expect(tunnelOverheadBytes('pppoe', 6)).toBe(8);
  });

  it('leaves IPsec what its padding allows', () => {
    // 1500 - 20 - 8 - 8 - 16 = 1448, a multiple of 4, less pad length and next header.
    expect(espTunnelMtuBytes(1500)).toBe(1446);
    // 1500 - 20 - 8 - 16 - 16 = 1440, a multiple of 16; in UDP 1432 -> 1424.
    expect(espTunnelMtuBytes(1500, ESP_AES_CBC_SHA256)).toBe(1438);
    expect(espTunnelMtuBytes(1500, ESP_AES_CBC_SHA256, 4, true)).toBe(1422);
  });
});

describe('vector 6: UDP and Y.1564', () => {
  test.each<[number, IpVersion, number]>([
    [1472, 4, 0.957087],
    [1452, 6, 0.944083],
    [1448, 4, 0.956407],
    [8972, 4, 0.992697],
    [8952, 6, 0.990485],
    [1, 4, 0.0119048],
    [18, 4, 0.214286],
    [19, 4, 0.223529],
  ])('%d B over IPv%d', (payload, version, share) => close(udpShareOfEthernet(payload, version), share));

  test.each([
    [1472, 103.125, 104.484],
    [1448, 103.177, 104.558],
    [512, 108.984, 112.891],
    [18, 355.556, 466.667],
  ])('100 Mbit/s of %d B', (payload, information, line) => {
    close(y1564InformationRateBps(100e6, payload) / 1e6, information);
    close(y1564LineRateBps(100e6, payload) / 1e6, line);
    close(y1564InformationRateBps(100e6, payload, 4, 1), (100e6 * (payload + 50)) / payload);
  });

  it('counts IP bytes', () => close(udpShareOfIp(1448), 1448 / 1476));

  it('keeps the layers of a datagram apart', () =>
    expect(udpPacketBytes(1448)).toEqual({ ethernet: 1514, ip: 1476, payload: 1448 }));
});

describe('vector 22: UDP above the bottleneck', () => {
  const load = { payloadBytes: 1448, linkRateBps: 20e6, linkLayer: 'ip' as const, queueBytes: 150_000, durationS: 10 };

  it('loses what the link cannot carry, less what the queue holds', () => {
    const found = udpDelivery({ ...load, offeredPayloadBps: 30e6 });
    close(found.offeredPacketsPerS, 2589.78);
    close(found.carriedPacketsPerS, 1693.77);
    close(found.payloadBps, 1.96206e7);
    close(found.steadyLossRatio, 0.34598);
    expect(found.queuePackets).toBe(101);
    close(found.sentPackets, 25_897.8);
    close(found.deliveredPackets, 17_038.7);
    close(found.lostPackets, 8859.12);
    close(found.lossRatio, 0.34208);
  });

  it('loses nothing below it', () => {
    const found = udpDelivery({ ...load, offeredPayloadBps: 15e6 });
    close(found.sentPackets, 12_948.9);
    expect(found.lostPackets).toBe(0);
    close(found.offeredIpBps, 15.2901e6);
  });

  test.each([
    [8858, 25_893, 0.3421],
    [1, 40, 0.025],
    [1, 99, 0.010101],
    [1, 1001, 0.000999001],
    [1, 10_000, 0.0001],
    [0, 12_948, 0],
  ])('%d of %d', (lost, sent, ratio) => {
    expect(lossFromCounts(lost, sent).lossRatio).toBeCloseTo(ratio, 6);
  });

  it('never shows a negative loss: that is reordering', () => {
    const found = lossFromCounts(-1919, 69_045);
    expect(found.lossRatio).toBeNull();
    close(found.creditedRatio, 0.0277935);
    expect(lossFromCounts(0, 0).lossRatio).toBeNull();
  });
});
