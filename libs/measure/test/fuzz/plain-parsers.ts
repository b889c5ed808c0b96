import { HostSnapshot, type SocketSample } from '@plumbline/model';
import { parseSnapshot } from '../../src/tools/host/snapshot.js';
import { hping3 } from '../../src/tools/hping3/index.js';
import { iperf2 } from '../../src/tools/iperf2/index.js';
import { iperf2Can } from '../../src/tools/iperf2/version.js';
import { iperf3 } from '../../src/tools/iperf3/index.js';
import { iperf3Can } from '../../src/tools/iperf3/version.js';
import { mtr } from '../../src/tools/mtr/index.js';
import { nuttcp } from '../../src/tools/nuttcp/index.js';
import { pchar } from '../../src/tools/pchar/index.js';
import { ping } from '../../src/tools/ping/index.js';
import { pingCan } from '../../src/tools/ping/version.js';
import { parseSs } from '../../src/tools/ss/parse.js';
import { parseSampleArtifact } from '../../src/tools/ss/samples.js';
import { ss } from '../../src/tools/ss/version.js';
import { CapturedConnection, connectionsOf, parsePcap, parseTcpdump, tcpdump } from '../../src/tools/tcpdump/index.js';
import { tracepath } from '../../src/tools/tracepath/index.js';
import { textsIn } from './recordings.js';
import { oddNumbers } from './soundness.js';
import { parserSubject, type Subject } from './subject.js';

type Segments = ReturnType<typeof parsePcap>;

const sampleProblems = (samples: readonly SocketSample[]): string[] =>
  samples.flatMap((sample) => [
    ...oddNumbers(sample, 'sample'),
    ...Object.entries(sample).flatMap(([key, value]) =>
      typeof value === 'number' && (value < 0 || value > Number.MAX_SAFE_INTEGER) ? [`${key} is ${value}`] : [],
    ),
  ]);

function captureProblems(read: Segments): string[] {
  if ('problem' in read) return ['output-empty', 'output-unreadable'].includes(read.problem) ? [] : [read.problem];
  const connections = connectionsOf(read.segments);
  const unsound = connections.filter((connection) => !CapturedConnection.safeParse(connection).success);
  return [...unsound.map((one) => `no connection: ${JSON.stringify(one)}`), ...oddNumbers(connections, 'connections')];
}

const socketTexts = textsIn('ss/fixtures', '.txt');
const artifact = socketTexts.map((text, i) => JSON.stringify({ elapsedMs: 250 * (i + 1), text })).join('\n');

/** One fact a text, under its key (apps/probe/src/host/snapshot.ts); formats as in snapshot.test.ts, own numbers. */
const FACTS: Readonly<Record<string, string>> = {
  'cmd.uname': 'Linux vm 6.18.44 #1 SMP PREEMPT_DYNAMIC @0 x86_64',
  'cmd.nproc': '2\n',
  'file./proc/loadavg': '14.59 12.35 7.77 1/400 999\n',
  'file./proc/uptime': '3812.50 5000.00\n',
  'sysctl.net.ipv4.tcp_rmem': '4096\t131072\t851968\n',
  'sysctl.net.ipv4.tcp_available_congestion_control': 'reno cubic bbr\n',
  'cmd.ip-link':
    '[{"ifname":"eth0","mtu":1500,"qdisc":"fq","stats64":{"rx":{"bytes":5,"errors":1},"tx":{"dropped":2}}}]',
  'file./sys/class/net/eth0/speed': '10000\n',
  'cmd.ethtool-features': 'Features for eth0:\nrx-checksumming: on\ntcp-segmentation-offload: off [fixed]\n',
  'cmd.ethtool-ring': 'Pre-set maximums:\nRX:\t\t4096\nCurrent hardware settings:\nRX:\t\t512\nTX:\t\t256\n',
  'cmd.tcp-metrics': '192.0.2.2 age 23.068sec cwnd 181 rtt 7755us rttvar 11500us source 192.0.2.1\n',
  'cmd.clock': 'System time     : 0.000012345 seconds slow of NTP time\nLeap status     : Normal',
  'file./proc/net/snmp': 'Tcp: RtoAlgorithm MaxConn RetransSegs\nTcp: 1 -1 42\n',
  'file./proc/net/netstat': 'TcpExt: SyncookiesSent TCPLostRetransmit\nTcpExt: 0 7\n',
  'file./proc/net/dev': '  eth0: 1000 10 1 2 3 4 0 0 2000 20 5 6 7 0 8 0\n',
};

function factProblems(texts: readonly string[]): string[] {
  const facts = Object.keys(FACTS).map((key, i) => ({ key, text: texts[i] ?? '' }));
  const read = parseSnapshot([{ key: 'probe.interface', text: 'eth0' }, ...facts], {
    takenAt: new Date(0).toISOString(),
  });
  const stored: unknown = JSON.parse(JSON.stringify(read));
  return HostSnapshot.safeParse(stored).success ? oddNumbers(read, 'snapshot') : ['no snapshot'];
}

/** Each tool's first line, as it prints it; a version is digits, dots and dashes, or it is not recognised. */
const VERSIONS = [
  { tool: iperf3, text: 'iperf 3.12 (cJSON 1.7.15)\nLinux vm 6.18.44 x86_64' },
  { tool: iperf2, text: 'iperf version 2.1.8 (12 August 2022) pthreads' },
  { tool: nuttcp, text: 'nuttcp-6.1.2' },
  { tool: ping, text: 'ping from iputils 20221126' },
  { tool: hping3, text: 'hping3 version 3.0.0-alpha-2 ($Id: release.h,v 1.4 2004/04/09 23:38:56 antirez Exp $)' },
  { tool: mtr, text: 'mtr 0.95' },
  { tool: tracepath, text: 'tracepath from iputils 20221126' },
  { tool: pchar, text: 'pchar 1.5' },
  { tool: tcpdump, text: 'tcpdump version 4.99.3\nlibpcap version 1.10.3' },
  { tool: ss, text: 'ss utility, iproute2-6.1.0, libbpf 1.1.0' },
];

function versionProblems(texts: readonly string[]): string[] {
  for (const text of texts) {
    iperf3Can(text);
    iperf2Can(text);
    pingCan({ tools: { ping: text }, congestionControls: [] });
  }
  return VERSIONS.flatMap(({ tool }, i) => {
    const version = tool.parseVersion(texts[i] ?? '');
    return version === undefined || /^\d[\w.-]*$/.test(version) ? [] : [`${tool.name}: version ${version}`];
  });
}

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
/** Lines as `tcpdump -n -tt` 4.99.3 prints them, of the recorded handshakes. */
const PRINTED = `1796062959.027326 IP 192.0.2.1.37018 > 192.0.2.66.5310: Flags [S], seq 3676265982, win 64240, options [mss 1460,sackOK,TS val 3316798770 ecr 0,nop,wscale 10], length 0
1796062959.114469 IP 192.0.2.66.5310 > 192.0.2.1.37018: Flags [S.], seq 782074014, ack 3676265983, win 65160, options [mss 1460,sackOK,TS val 4105843626 ecr 3316798770,nop,wscale 10], length 0
1796062959.114868 IP 192.0.2.1.37018 > 192.0.2.66.5310: Flags [P.], seq 1:38, ack 1, win 63, options [nop,nop,TS val 3316798857 ecr 4105843626], length 37
`;

export const plainParsers: readonly Subject[] = [
  parserSubject(
    'ss',
    socketTexts.map((text) => [text]),
    ([text = '']) => sampleProblems(parseSs(text, 'near', 0).samples),
  ),
  parserSubject('ss samples', [[artifact]], ([text = '']) => sampleProblems(parseSampleArtifact(text, 'far').samples)),
  parserSubject(
    'tcpdump pcap',
    textsIn('tcpdump/fixtures', '.pcap').map((text) => [text]),
    ([text = '']) => captureProblems(parsePcap(latin1(text))),
  ),
  parserSubject('tcpdump text', [[PRINTED]], ([text = '']) => captureProblems(parseTcpdump(text))),
  parserSubject('host facts', [Object.values(FACTS)], factProblems),
  parserSubject('versions', [VERSIONS.map(({ text }) => text)], versionProblems),
];
