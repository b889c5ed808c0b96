import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CapturedConnection,
  captureArgv,
  connectionsOf,
  parsePcap,
  parseTcpdump,
  type Segment,
  snapshotBytes,
  tcpdump,
} from './index.js';

const bytesOf = (name: string): Uint8Array => readFileSync(new URL(`./fixtures/${name}.pcap`, import.meta.url));
function segmentsOf(name: string): readonly Segment[] {
  const read = parsePcap(bytesOf(name));
  if ('problem' in read) throw new Error(read.problem);
  return read.segments;
}

/** Lines that tcpdump 4.99.3 itself printed of the first packets of each recording (`tcpdump -n -tt -r`). */
const PLAIN = `1796062959.027326 IP 192.0.2.1.37018 > 192.0.2.66.5310: Flags [S], seq 3676265982, win 64240, options [mss 1460,sackOK,TS val 3316798770 ecr 0,nop,wscale 10], length 0
1796062959.114469 IP 192.0.2.66.5310 > 192.0.2.1.37018: Flags [S.], seq 782074014, ack 3676265983, win 65160, options [mss 1460,sackOK,TS val 4105843626 ecr 3316798770,nop,wscale 10], length 0
1796062959.114556 IP 192.0.2.1.37018 > 192.0.2.66.5310: Flags [.], ack 1, win 63, options [nop,nop,TS val 3316798857 ecr 4105843626], length 0
1796062959.114868 IP 192.0.2.1.37018 > 192.0.2.66.5310: Flags [P.], seq 1:38, ack 1, win 63, options [nop,nop,TS val 3316798857 ecr 4105843626], length 37
1796062959.163376 IP 192.0.2.66.5310 > 192.0.2.1.37018: Flags [.], ack 38, win 64, options [nop,nop,TS val 4105843677 ecr 3316798857], length 0
`;
const STRIPPED = `1796062962.475543 IP 192.0.2.1.37038 > 192.0.2.66.5310: Flags [S], seq 409069158, win 64240, options [mss 1460,sackOK,TS val 3959992214 ecr 0,nop,wscale 10], length 0
1796062962.522880 IP 192.0.2.66.5310 > 192.0.2.1.37038: Flags [S.], seq 2868592659, ack 409069159, win 65160, options [mss 1460,sackOK,TS val 2565246580 ecr 3959992214], length 0
1796062962.522919 IP 192.0.2.1.37038 > 192.0.2.66.5310: Flags [.], ack 1, win 64240, options [nop,nop,TS val 3959992261 ecr 2565246580], length 0
`;

describe('a capture', () => {
  test('shows the handshake and the windows, scaled', () => {
    const [data, control] = connectionsOf(segmentsOf('4.99.3-plain'));
    expect(data?.scaling).toBe('both');
    expect(data?.client.offer).toMatchObject({
      windowScale: 10,
      mssBytes: 1460,
      sackPermitted: true,
      timestamps: true,
    });
    expect(data?.server.windows?.maxBytes).toBeGreaterThan(65_535);
    expect(data?.server.windows?.minBytes).toBe(64 * 1024);
    expect(data?.client.payloadBytes).toBeGreaterThan(10_000);
    expect(control?.client.payloadBytes).toBeLessThan(1000);
    for (const connection of connectionsOf(segmentsOf('4.99.3-plain'))) CapturedConnection.parse(connection);
  });

  test('shows that window scaling was taken out on the way', () => {
    for (const connection of connectionsOf(segmentsOf('4.99.3-wscale-stripped')).filter(({ scaling }) => scaling)) {
      expect(connection.scaling).toBe('missing');
      expect(connection.client.offer?.windowScale).toBe(10);
      expect(connection.server.offer?.windowScale).toBeUndefined();
      expect(connection.server.windows?.maxBytes ?? 0).toBeLessThanOrEqual(65_535);
    }
  });

  test.each([
    ['4.99.3-plain', PLAIN],
    ['4.99.3-wscale-stripped', STRIPPED],
  ])('%s: bytes and text say the same', (name, text) => {
    const read = parseTcpdump(text);
    const fromText = 'segments' in read ? read.segments : [];
    expect(fromText.length).toBe(text.trim().split('\n').length);
    const known = ({ windowScale, mssBytes, sackPermitted, timestamps, ...rest }: Segment) => ({
      ...rest,
      atS: Number(rest.atS.toFixed(6)),
      ...(rest.syn
        ? { windowScale, mssBytes, sackPermitted: sackPermitted ?? false, timestamps: timestamps ?? false }
        : {}),
    });
    expect(segmentsOf(name).slice(0, fromText.length).map(known)).toEqual(fromText.map(known));
  });

  test('without the handshake nobody knows the shift', () => {
    const [data] = connectionsOf(segmentsOf('4.99.3-plain').filter(({ syn }) => !syn));
    expect(data?.scaling).toBeUndefined();
    expect(data?.server.windows).toBeUndefined();
  });

  test('cut, empty, or something else', () => {
    const whole = bytesOf('4.99.3-plain');
    const cut = parsePcap(whole.subarray(0, 1000));
    expect('segments' in cut && cut.segments.length).toBe(10);
    expect(cut.notes).toEqual(['the capture is cut off']);
    expect(parsePcap(new Uint8Array())).toMatchObject({ problem: 'output-empty' });
    expect(parsePcap(new Uint8Array(24))).toMatchObject({ problem: 'output-unreadable' });
    expect(parseTcpdump('')).toMatchObject({ problem: 'output-empty' });
    expect(parseTcpdump('tcpdump: listening')).toMatchObject({ problem: 'output-unreadable' });
  });
});

describe('whatever bytes', () => {
  test('a changed capture is read without an error, and with numbers that are numbers', () => {
    const whole = bytesOf('4.99.3-plain');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 })), { maxLength: 20 }),
        fc.nat({ max: whole.length }),
        (changes, length) => {
          const bytes = whole.slice(0, length);
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          const read = parsePcap(bytes);
          if (!('segments' in read)) return;
          for (const connection of connectionsOf(read.segments))
            expect(CapturedConnection.safeParse(connection).success).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('random bytes after a good header, of every link type', () => {
    const header = bytesOf('4.99.3-plain').slice(0, 24);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(1, 12, 14, 101, 113, 276, 7), (tail, linkType) => {
        const bytes = new Uint8Array([...header, ...tail]);
        new DataView(bytes.buffer).setUint32(20, linkType, true);
        expect(() => parsePcap(bytes)).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });

  test('any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseTcpdump(PLAIN + text)));
  });
});

describe('what is captured', () => {
  test('headers of the test’s own connections, so many and no more', () => {
    expect(captureArgv({ interface: 'wan0', peerAddress: '192.0.2.66', port: 5301 })).toEqual([
      ...['tcpdump', '-n', '-p', '-U', '-s', '94', '-c', '50000', '-Z', 'root', '-i', 'wan0', '-w', '{capture}'],
      'host 192.0.2.66 and tcp port 5301',
    ]);
    // Ethernet 14 or Linux cooked 20, IP 20 or 40, TCP 20 with at most 40 of options.
    expect(snapshotBytes({ peerAddress: '192.0.2.66', port: 1 })).toBe(100);
    expect(snapshotBytes({ interface: 'wan0', peerAddress: '2001:db8::1', port: 1 })).toBe(114);
  });

  test('tells its version', () => {
    expect(tcpdump.parseVersion('tcpdump version 4.99.3\nlibpcap version 1.10.3')).toBe('4.99.3');
  });
});
