import type {
  Advice,
  AdviceRequest,
  Finding,
  FindingCode,
  HostAdvice,
  HostSnapshot,
  SettingChange,
} from '@plumbline/model';
import { committedTcpBps, provenRateBps } from '../diagnosis/capacity.js';
import type { LegDiagnosis } from '../diagnosis/diagnose.js';
import type { FlowFacts, LegFacts } from '../diagnosis/facts.js';
import { viewOf } from '../diagnosis/flow-view.js';
import { known, leastOf } from '../diagnosis/numbers.js';
import { labelsOf } from '../diagnosis/subjects.js';
import { bdpBytes } from '../theory/bandwidth-delay.js';
import { HUGE_BYTES, raisedMaximum, receiveBufferBytes, sendBufferBytes, type Target } from './buffers.js';
import { REQUESTS } from './requests.js';
import { filePath, fileText, undoCommands } from './sysctl-file.js';

type End = HostAdvice['end'];
/** What one flow asks of one end. */
interface Need {
  readonly end: End;
  readonly changes: readonly SettingChange[];
  readonly cautions: readonly string[];
  readonly missing: readonly string[];
}

const WINDOW_CODES: ReadonlySet<FindingCode> = new Set(['receive-window-limited', 'send-buffer-limited']);

/**
 * What to change at the two ends of a path, from what its run found. Only what must change: maxima of buffers, congestion control
 * and qdisc at the sender, never the defaults, never lower than it is. Pure; throws for no facts.
 */
export function advise(leg: LegFacts, { findings, diagnosis }: LegDiagnosis): Advice {
  const holding = Object.values(findings)
    .flat()
    .filter(({ holds }) => holds === 'yes');
  const target = targetOf(leg);
  const needs = leg.flows.flatMap((flow) => needsOf(flow, leg, codesOf(flow, findings), target));
  const hosts = (['source', 'destination'] as const).map((end) => hostAdvice(leg, end, needs));
  const requests = requestsOf(holding, hosts);
  return {
    path: leg.path.name,
    ruleSet: diagnosis.ruleSet,
    summary: summaryOf(hosts, requests),
    ...(target ? { target } : {}),
    hosts,
    requests,
  };
}

/** What holds of one flow. */
function codesOf(flow: FlowFacts, findings: LegDiagnosis['findings']): Set<FindingCode> {
  const labels = JSON.stringify(labelsOf({ about: 'flow', flow }));
  const own = (findings[flow.step] ?? []).filter(
    (finding) => finding.holds === 'yes' && JSON.stringify(finding.labels ?? {}) === labels,
  );
  return new Set(own.map(({ code }) => code));
}

/** The rate that the path is to carry, and its round trip without queues. */
function targetOf(leg: LegFacts): Target | undefined {
  const rateBps = committedTcpBps(leg) ?? provenRateBps(leg, 'forward');
  const idle = leastOf(known(leg.flows.map((flow) => viewOf(flow, leg).idleRttMs)));
  const rttMs = idle ?? leastOf(known(leg.rtts.map((rtt) => rtt.minMs))) ?? leg.path.expectedRttMs;
  if (rateBps === undefined || rttMs === undefined || !(rateBps > 0) || !(rttMs > 0)) return undefined;
  return { rateBps, rttMs, bdpBytes: Math.round(bdpBytes(rateBps, rttMs)) };
}

const endsOf = (flow: FlowFacts, leg: LegFacts): { sender: End; receiver: End } =>
  viewOf(flow, leg).way === 'forward'
    ? { sender: 'source', receiver: 'destination' }
    : { sender: 'destination', receiver: 'source' };

function needsOf(flow: FlowFacts, leg: LegFacts, codes: ReadonlySet<FindingCode>, target: Target | undefined): Need[] {
  const ends = endsOf(flow, leg);
  const sender = flow.hosts.sender?.snapshot;
  const receiver = flow.hosts.receiver?.snapshot;
  const needs: Need[] = [];
  if ([...WINDOW_CODES].some((code) => codes.has(code)))
    needs.push(
      bufferNeed(ends.receiver, 'net.ipv4.tcp_rmem', receiver, target),
      bufferNeed(ends.sender, 'net.ipv4.tcp_wmem', sender, target),
    );
  if (codes.has('window-scaling-missing'))
    needs.push(scalingNeed(ends.sender, sender), scalingNeed(ends.receiver, receiver));
  if (codes.has('application-window-limited'))
    needs.push(
      ceilingNeed(ends.receiver, 'net.core.rmem_max', receiver, flow, target),
      ceilingNeed(ends.sender, 'net.core.wmem_max', sender, flow, target),
    );
  if (codes.has('loss-limited') && !codes.has('policed')) needs.push(algorithmNeed(ends.sender, sender, flow));
  if (codes.has('mtu-black-hole')) needs.push(probingNeed(ends.sender, sender));
  return needs;
}

const need = (end: End, more: Partial<Need>): Need => ({ end, changes: [], cautions: [], missing: [], ...more });

function bufferNeed(
  end: End,
  key: 'net.ipv4.tcp_rmem' | 'net.ipv4.tcp_wmem',
  snapshot: HostSnapshot | undefined,
  target: Target | undefined,
): Need {
  if (!target)
    return need(end, {
      missing: ['the rate that the path is to carry: give the path its committedRateBps, or run udp-step-up'],
    });
  const triple = key === 'net.ipv4.tcp_rmem' ? snapshot?.tcpRmem : snapshot?.tcpWmem;
  if (!snapshot || !triple) return need(end, { missing: [`${key} of this host`] });
  const bytes = key === 'net.ipv4.tcp_rmem' ? receiveBufferBytes(target, snapshot) : sendBufferBytes(target);
  const change = raisedMaximum(key, snapshot, bytes, target);
  if (!change) return need(end, {});
  const cautions = [
    'Leave minimum and default of tcp_rmem and tcp_wmem as they are: each connection would pay for them.',
    'net.core.rmem_max and wmem_max do not limit the kernel’s own sizing of buffers: leave them.',
    ...(bytes > HUGE_BYTES
      ? [
          `Buffers of ${Math.round(bytes / 1e6)} MB may stall a host while it collapses its receive queue; watch TcpExt.TCPRcvCollapsed and net.ipv4.tcp_mem.`,
        ]
      : []),
  ];
  return need(end, { changes: [change], cautions });
}

function scalingNeed(end: End, snapshot: HostSnapshot | undefined): Need {
  const key = 'net.ipv4.tcp_window_scaling';
  const current = snapshot?.sysctls[key];
  if (current === undefined) return need(end, { missing: [`${key} of this host`] });
  if (current.trim() !== '0') return need(end, {});
  const why = 'without the window scale option no window is larger than 65,535 bytes (RFC 7323)';
  return need(end, { changes: [{ key, current, proposed: '1', why, scope: 'namespace' }] });
}

/** Only for a program that sets its buffers itself: the kernel cuts what it asks for to this. */
function ceilingNeed(
  end: End,
  key: 'net.core.rmem_max' | 'net.core.wmem_max',
  snapshot: HostSnapshot | undefined,
  flow: FlowFacts,
  target: Target | undefined,
): Need {
  const current = snapshot?.sysctls[key];
  const asked = flow.asked.windowBytes;
  if (asked === undefined || !target) return need(end, {});
  if (current === undefined)
    return need(end, { missing: [`${key} of this host (read it on the host, outside any container)`] });
  if (asked <= Number(current) || asked > target.bdpBytes * 4) return need(end, {});
  const why = `the application asks for ${Math.round(asked / 1000)} kB and gets no more than this`;
  return need(end, {
    changes: [{ key, current, proposed: String(asked), why, scope: 'host', costBytes: asked * 2 }],
    cautions: [
      'It matters only to programs that set SO_RCVBUF or SO_SNDBUF; it is shared by all namespaces of the host.',
    ],
  });
}

function algorithmNeed(end: End, snapshot: HostSnapshot | undefined, flow: FlowFacts): Need {
  const key = 'net.ipv4.tcp_congestion_control';
  const current = snapshot?.congestionControl;
  if (!snapshot || current === undefined) return need(end, { missing: [`${key} of this host`] });
  if (current === 'bbr' || flow.congestionControl === 'bbr') return need(end, {});
  if (!snapshot.congestionControlsAvailable?.includes('bbr'))
    return need(end, { missing: ['whether the kernel has bbr (modprobe tcp_bbr, then measure again)'] });
  const why =
    'the path loses packets at random, and a loss-based algorithm slows down for each; bbr keeps the rate that it measures';
  const asked = flow.asked.congestionControl;
  return need(end, {
    changes: [{ key, current, proposed: 'bbr', why, scope: 'namespace' }, ...pacing(snapshot)],
    cautions: [
      'Congestion control and qdisc matter at the sender only.',
      'Connections of before are remembered: ip tcp_metrics flush all, before the next test.',
      ...(asked === undefined
        ? []
        : [`This test asked for ${asked} itself: repeat it without, to see what the host's own algorithm does.`]),
    ],
  });
}

/** Until 4.13 bbr paces by the qdisc fq only; from then on TCP does it itself where there is no fq (net/ipv4/tcp_output.c). */
function pacing(snapshot: HostSnapshot): SettingChange[] {
  const [major = 0, minor = 0] = (snapshot.kernel ?? '').split('.').map((part) => Number.parseInt(part, 10));
  const key = 'net.core.default_qdisc';
  const current = snapshot.sysctls[key];
  if (current === undefined || current === 'fq' || major > 4 || (major === 4 && minor >= 13)) return [];
  return [{ key, current, proposed: 'fq', why: 'below kernel 4.13 bbr needs fq to pace', scope: 'host' }];
}

function probingNeed(end: End, snapshot: HostSnapshot | undefined): Need {
  const key = 'net.ipv4.tcp_mtu_probing';
  const current = snapshot?.sysctls[key];
  if (current === undefined) return need(end, { missing: [`${key} of this host`] });
  if (current.trim() !== '0') return need(end, {});
  const why =
    'large packets vanish without an ICMP error; TCP then finds a size that gets through by itself (RFC 4821)';
  return need(end, { changes: [{ key, current, proposed: '1', why, scope: 'namespace' }] });
}

/** All needs of one end as one file: of two for a key the larger. */
function hostAdvice(leg: LegFacts, end: End, needs: readonly Need[]): HostAdvice {
  const own = needs.filter((one) => one.end === end);
  const byKey = new Map<string, SettingChange>();
  for (const change of own.flatMap(({ changes }) => changes)) {
    const before = byKey.get(change.key);
    if (!before || (change.costBytes ?? 0) > (before.costBytes ?? 0)) byKey.set(change.key, change);
  }
  const changes = [...byKey.values()];
  const path = leg.path.name;
  const file = changes.length > 0 ? { path: filePath(path), text: fileText(path, changes) } : undefined;
  return {
    end,
    probe: (end === 'source' ? leg.path.source : leg.path.destination).probe,
    changes,
    ...(file ? { file } : {}),
    apply: file ? [`sysctl -p ${file.path}`] : [],
    undo: file ? undoCommands(path, changes) : [],
    cautions: [...new Set(own.flatMap(({ cautions }) => cautions))],
    missing: [...new Set(own.flatMap(({ missing }) => missing))],
  };
}

/** Nothing is asked of others for what these hosts' own settings raise; loss has a cause all the same. */
function requestsOf(holding: readonly Finding[], hosts: readonly HostAdvice[]): AdviceRequest[] {
  const codes = [...new Set(holding.map(({ code }) => code))];
  const scaled = hosts.some(({ changes }) => changes.some(({ key }) => key.endsWith('window_scaling')));
  const stripped = codes.includes('window-scaling-missing') && !scaled;
  const atHost = holding.some(({ code, evidence }) => code === 'loss-limited' && (evidence.receiverDrops ?? 0) > 0);
  return [
    ...(atHost
      ? [
          {
            code: 'loss-limited' as const,
            who: 'host administrator' as const,
            ask: 'The receiving interface dropped packets: read ethtool -S and -g there, and enlarge its receive ring (ethtool -G).',
          },
        ]
      : []),
    ...codes.flatMap((code) => {
      const request = REQUESTS[code];
      return request ? [{ code, ...request }] : [];
    }),
    ...(stripped
      ? [
          {
            code: 'window-scaling-missing' as const,
            who: 'network administrator' as const,
            ask: 'Both hosts offer window scaling and something on the path takes it out of the handshake: find the firewall or accelerator that does.',
          },
        ]
      : []),
  ];
}

function summaryOf(hosts: readonly HostAdvice[], requests: readonly AdviceRequest[]): string {
  const changed = hosts.filter(({ changes }) => changes.length > 0);
  if (changed.length > 0)
    return `Install ${changed.length === 1 ? 'one file' : 'a file'} on ${changed.map(({ end, probe }) => `the ${end} (${probe})`).join(' and ')}, then measure again.`;
  const missing = hosts.flatMap((host) => host.missing);
  if (missing.length > 0) return `Nothing can be proposed yet; not known: ${missing.join('; ')}.`;
  const [first] = requests;
  return first
    ? `No setting of these hosts raises this limit. The ${first.who} can act: ${first.ask}`
    : 'Nothing has to change.';
}
