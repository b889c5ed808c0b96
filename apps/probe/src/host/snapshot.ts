/*
 * The keys of a snapshot's facts, for libs/measure's parseSnapshot. The probe reads and never interprets.
 *   sysctl.net.ipv4.tcp_*              every file /proc/sys/net/ipv4/tcp_* that may be read (not tcp_fastopen_key, a secret)
 *   sysctl.net.core.{rmem_max,wmem_max,rmem_default,wmem_default,default_qdisc,netdev_max_backlog}
 *   file./proc/{loadavg,uptime,stat,net/snmp,net/snmp6,net/netstat,net/dev}
 *   file.cgroup/cpu.{stat,max,cfs_quota_us,cfs_period_us}   of the group that the probe and its programs are in
 *   file./sys/class/net/IF/{speed,duplex,mtu,carrier_changes,statistics/*}   only when /sys shows this network namespace
 *   cmd.uname       `Linux HOSTNAME RELEASE VERSION MACHINE`, by uname(2)
 *   cmd.nproc       CPUs that this process may use, by sched_getaffinity(2)
 *   cmd.ip-link     ip -j -s -s addr show dev IF: the link with its counters and addresses
 *   cmd.ip-route    ip -j route get PEER from ADDRESS
 *   cmd.tcp-metrics ip tcp_metrics show PEER
 *   cmd.tc-qdisc    tc -j -s qdisc show dev IF
 *   cmd.ethtool-features, cmd.ethtool-driver, cmd.ethtool-ring, cmd.ethtool-stats   ethtool -k, -i, -g, -S IF
 *   cmd.clock       chronyc -n tracking, else timedatectl show, else ntpq -c rv: the first that answers
 *   tool.NAME       first line of what each program that is there says of itself
 *   probe.interface the interface of the endpoint: the configured one, else the one that has its address
 *   probe.ifindex   the kernel's number of it
 * A fact that could not be read has `error` and no text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism, hostname, machine, networkInterfaces, release, type, version } from 'node:os';
import type { RawFact } from '@plumbline/probe-rpc';
import { findProgram } from '@plumbline/process';
import type { ProbeEndpoint } from '../configuration.js';
import { type Argv, runCommands } from './commands.js';
import type { ToolText } from './facts.js';

const CORE_SYSCTLS = ['rmem_max', 'wmem_max', 'rmem_default', 'wmem_default', 'default_qdisc', 'netdev_max_backlog'];
const FILES = ['loadavg', 'uptime', 'stat', 'net/snmp', 'net/snmp6', 'net/netstat', 'net/dev'].map(
  (name) => `/proc/${name}`,
);
/** What /proc/net/dev has only as a sum, or not at all. */
const STATISTICS = [
  ...['rx_dropped', 'rx_missed_errors', 'rx_crc_errors', 'rx_length_errors', 'rx_over_errors', 'rx_frame_errors'],
  ...[
    'rx_nohandler',
    'tx_carrier_errors',
    'tx_aborted_errors',
    'tx_window_errors',
    'tx_heartbeat_errors',
    'collisions',
  ],
];

/**
 * The host as it is now. Well under 100 ms on an idle host; at most a little over a second.
 * @param filesOnly leaves out what needs a program: a few milliseconds
 */
export async function takeSnapshot(
  endpoint: ProbeEndpoint,
  peerAddress: string | undefined,
  tools: readonly ToolText[],
  temporary: string,
  filesOnly = false,
): Promise<RawFact[]> {
  const device = endpoint.interface ?? interfaceOf(endpoint.address);
  const commands = filesOnly ? [] : commandFacts(commandsFor(endpoint, device, peerAddress), temporary);
  const files = await Promise.all(
    [...sysctlFiles(), ...FILES.map(fileKey), ...groupFiles(), ...deviceFiles(device)].map(fileFact),
  );
  return [...machineFacts(device, endpoint.address), ...toolFacts(tools), ...files, ...(await commands)];
}

/** The interface that has an address, in this process's network namespace. */
export function interfaceOf(address: string): string | undefined {
  const found = Object.entries(networkInterfaces()).find(([, list]) =>
    list?.some((entry) => entry.address === address),
  );
  return found?.[0];
}

interface FileToRead {
  readonly key: string;
  readonly path: string;
}
const fileKey = (path: string): FileToRead => ({ key: `file.${path}`, path });

function sysctlFiles(): FileToRead[] {
  const names = listFolder('/proc/sys/net/ipv4').filter(
    (name) => name.startsWith('tcp_') && name !== 'tcp_fastopen_key',
  );
  return [
    ...names.map((name) => ({ key: `sysctl.net.ipv4.${name}`, path: `/proc/sys/net/ipv4/${name}` })),
    ...CORE_SYSCTLS.map((name) => ({ key: `sysctl.net.core.${name}`, path: `/proc/sys/net/core/${name}` })),
  ];
}

/** Of the group that this process is in (cgroups(7)): `0::/system.slice/probe.service` in v2, `4:cpu,cpuacct:/...` in v1. */
function groupFiles(): FileToRead[] {
  const lines = readLines('/proc/self/cgroup').map((line) => line.split(':'));
  const one = lines.find(([, controllers]) => controllers?.split(',').includes('cpu'))?.[2];
  const two = lines.find(([id]) => id === '0')?.[2];
  const [folder, names] =
    one === undefined
      ? [`/sys/fs/cgroup${two ?? '/'}`, ['cpu.stat', 'cpu.max']]
      : [`/sys/fs/cgroup/cpu${one}`, ['cpu.stat', 'cpu.cfs_quota_us', 'cpu.cfs_period_us']];
  return names.map((name) => ({ key: `file.cgroup/${name}`, path: `${folder}/${name}` }));
}

/**
 * /sys shows the network namespace of whoever mounted it: only if its interface has our index is it ours
 * (`ip netns exec` mounts a fresh one, a bare nsenter does not).
 */
function deviceFiles(device: string | undefined): FileToRead[] {
  if (device === undefined) return [];
  const folder = `/sys/class/net/${device}`;
  const shown = readLines(`${folder}/ifindex`)[0];
  if (shown === undefined || Number(shown) !== indexOf(device)) return [];
  const names = ['speed', 'duplex', 'mtu', 'carrier_changes', ...STATISTICS.map((name) => `statistics/${name}`)];
  return names.map((name) => fileKey(`${folder}/${name}`));
}

/**
 * The kernel's number of an interface, from this process's own network namespace: /proc/net/igmp has those that can do
 * multicast over IPv4, /proc/net/if_inet6 those with an IPv6 address. undefined: neither has it.
 */
export function indexOf(device: string): number | undefined {
  const igmp = readLines('/proc/net/igmp').find((line) => line.split(/[\t ]+|:/)[1] === device && /^\d/.test(line));
  if (igmp) return Number.parseInt(igmp, 10);
  const inet6 = readLines('/proc/net/if_inet6').find((line) => line.endsWith(` ${device}`));
  return inet6 === undefined ? undefined : Number.parseInt(inet6.split(' ')[1] ?? '', 16);
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'latin1').split('\n');
  } catch {
    return [];
  }
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

async function fileFact({ key, path }: FileToRead): Promise<RawFact> {
  try {
    return { key, source: path, text: await readFile(path, 'utf8'), error: '' };
  } catch (error) {
    return { key, source: path, text: '', error: error instanceof Error ? error.message : String(error) };
  }
}

function machineFacts(device: string | undefined, address: string): RawFact[] {
  const uname = `${type()} ${hostname()} ${release()} ${version()} ${machine()}`;
  return [
    { key: 'cmd.uname', source: 'uname(2)', text: uname, error: '' },
    { key: 'cmd.nproc', source: 'sched_getaffinity(2)', text: `${availableParallelism()}`, error: '' },
    ...(device === undefined
      ? [{ key: 'probe.interface', source: address, text: '', error: `no interface has the address ${address}` }]
      : [{ key: 'probe.interface', source: address, text: device, error: '' }, indexFact(device)]),
  ];
}

function indexFact(device: string): RawFact {
  const [index, source] = [indexOf(device), '/proc/net/igmp, /proc/net/if_inet6'];
  return index === undefined
    ? { key: 'probe.ifindex', source, text: '', error: `neither file lists ${device}` }
    : { key: 'probe.ifindex', source, text: `${index}`, error: '' };
}

const toolFacts = (tools: readonly ToolText[]): RawFact[] =>
  tools.map(({ tool, text, present }) => ({
    key: `tool.${tool}`,
    source: tool,
    text: text.split('\n')[0] ?? '',
    error: present ? '' : 'not installed',
  }));

interface Command {
  readonly key: string;
  readonly argv: Argv;
}

function commandsFor(endpoint: ProbeEndpoint, device: string | undefined, peer: string | undefined): Command[] {
  const forDevice: Command[] =
    device === undefined
      ? []
      : [
          { key: 'cmd.ip-link', argv: ['ip', '-j', '-s', '-s', 'addr', 'show', 'dev', device] },
          { key: 'cmd.tc-qdisc', argv: ['tc', '-j', '-s', 'qdisc', 'show', 'dev', device] },
          { key: 'cmd.ethtool-features', argv: ['ethtool', '-k', device] },
          { key: 'cmd.ethtool-driver', argv: ['ethtool', '-i', device] },
          { key: 'cmd.ethtool-ring', argv: ['ethtool', '-g', device] },
          { key: 'cmd.ethtool-stats', argv: ['ethtool', '-S', device] },
        ];
  const forPeer: Command[] =
    peer === undefined
      ? []
      : [
          { key: 'cmd.ip-route', argv: ['ip', '-j', 'route', 'get', peer, 'from', endpoint.address] },
          { key: 'cmd.tcp-metrics', argv: ['ip', 'tcp_metrics', 'show', peer] },
        ];
  const clocks = CLOCKS.filter(([program]) => findProgram(program) !== undefined);
  return [...forDevice, ...forPeer, ...clocks.map((argv) => ({ key: 'cmd.clock', argv }))];
}

const CLOCKS: readonly Argv[] = [
  ['chronyc', '-n', 'tracking'],
  ['timedatectl', 'show'],
  ['ntpq', '-c', 'rv'],
];

async function commandFacts(commands: readonly Command[], temporary: string): Promise<RawFact[]> {
  const answers = await runCommands(
    commands.map(({ argv }) => argv),
    temporary,
  );
  const facts = commands.map(({ key, argv }, i) => {
    const { text = '', error = 'it was not run' } = answers[i] ?? {};
    return { key, source: argv.join(' '), text, error };
  });
  const clocks = facts.filter(({ key }) => key === 'cmd.clock');
  const none = { key: 'cmd.clock', source: 'chronyc, timedatectl, ntpq', text: '', error: 'none of them is installed' };
  const clock = clocks.find(({ error }) => error === '') ?? clocks[0] ?? none;
  return [...facts.filter(({ key }) => key !== 'cmd.clock'), clock];
}
