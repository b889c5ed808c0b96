import type { Phase } from '@plumbline/measure';
import type { RawFact } from '@plumbline/probe-rpc';
import type { FakePhase } from '../fake-types.js';
import { IPERF3_CLIENT, IPERF3_SERVER } from './iperf3.js';

/** Programs as they name themselves on Debian 12. */
export const CANNED_TOOLS: Readonly<Record<string, string>> = {
  iperf3: `iperf 3.12 (cJSON 1.7.15)
Linux vm 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC x86_64
Optional features available: CPU affinity setting, IPv6 flow label, SCTP, TCP congestion algorithm setting, sendfile / zerocopy, socket pacing, authentication, bind to device, support IPv4 don't fragment`,
  ping: 'ping from iputils 20221126\nlibcap: yes, IDN: yes, NLS: no, error.h: yes, getrandom(): yes, __fpending(): yes',
  ss: 'ss utility, iproute2-6.1.0',
};

/** What a probe's snapshot says of a Debian 12 host with an interface of 1500 bytes. */
export const CANNED_FACTS: readonly RawFact[] = [
  ['cmd.uname', 'Linux fake 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 x86_64'],
  ['cmd.nproc', '4'],
  ['file./proc/loadavg', '0.10 0.08 0.02 1/180 4242\n'],
  ['file./proc/uptime', '3600.00 14000.00\n'],
  ['sysctl.net.ipv4.tcp_rmem', '4096\t131072\t6291456\n'],
  ['sysctl.net.ipv4.tcp_wmem', '4096\t16384\t4194304\n'],
  ['sysctl.net.ipv4.tcp_congestion_control', 'cubic\n'],
  ['sysctl.net.ipv4.tcp_available_congestion_control', 'reno cubic bbr\n'],
  ['sysctl.net.core.default_qdisc', 'fq_codel\n'],
  ['file./proc/net/snmp', 'Tcp: RetransSegs\nTcp: 0\nUdp: RcvbufErrors\nUdp: 0\n'],
  ['probe.interface', 'eth0'],
  ['probe.ifindex', '2'],
  ['cmd.ip-link', '[{"ifname":"eth0","mtu":1500,"qdisc":"fq_codel","stats64":{"rx":{"errors":0},"tx":{"errors":0}}}]'],
].map(([key = '', text = '']) => ({ key, source: 'canned', text, error: '' }));

/**
 * What a program printed in a run that went well (recorded on loopback), fitted to the ports, the counts and the sender's
 * congestion control of this argv.
 */
export function cannedOutput(phase: Phase): FakePhase {
  const option = (flag: string): string | undefined => phase.argv[phase.argv.indexOf(flag) + 1 || phase.argv.length];
  if (phase.tool === 'ping') return { stdout: pingText(Number(option('-c') ?? 3), phase.argv.at(-1) ?? '') };
  if (phase.tool !== 'iperf3') return {};
  const ports = { client: Number(option('--cport') ?? 25312), server: Number(option('-p') ?? 25311) };
  if (phase.argv.includes('-s')) return { stdout: withPorts(IPERF3_SERVER, ports) };
  const asked = option('-C');
  const text = sample(ports.client, ports.server).replace(') cubic ', `) ${asked ?? 'cubic'} `);
  const sender = `"sender_tcp_congestion": "${asked ?? 'bbr'}"`;
  return {
    stdout: withPorts(IPERF3_CLIENT, ports).replace('"sender_tcp_congestion": "bbr"', sender),
    samples: [{ elapsedMs: 250, text }],
    cpuUserUs: 10_000,
    cpuSystemUs: 40_000,
  };
}

const withPorts = (recorded: string, ports: { client: number; server: number }): string =>
  recorded.replaceAll('25312', `${ports.client}`).replaceAll('25311', `${ports.server}`);

function pingText(count: number, peer: string): string {
  const lines = Array.from(
    { length: count },
    (_, i) => `64 bytes from ${peer}: icmp_seq=${i + 1} ttl=64 time=20.${i % 10} ms`,
  );
  return `PING ${peer} (${peer}) 56(84) bytes of data.
${lines.join('\n')}

--- ${peer} ping statistics ---
${count} packets transmitted, ${count} received, 0% packet loss, time ${count * 10}ms
rtt min/avg/max/mdev = 20.000/20.450/20.900/0.300 ms
`;
}

const sample = (local: number, peer: number): string => `ESTAB 0      0      127.0.0.1:${local} 127.0.0.1:${peer}
	 skmem:(r0,rb131072,t0,tb3939840,f0,w0,o0,bl0,d0) cubic wscale:10,10 rto:204 rtt:0.26/0.134 mss:65483 pmtu:65535 rcvmss:536 advmss:65483 cwnd:18 bytes_sent:9568293 bytes_acked:9568294 segs_out:224 segs_in:87 data_segs_out:222 send 36267507692bps lastsnd:12 lastrcv:1532 lastack:12 pacing_rate 575808691880bps delivery_rate 104772800000bps delivered:223 busy:48ms rcv_space:65495 rcv_ssthresh:65495 minrtt:0.004 snd_wnd:1114112
`;
