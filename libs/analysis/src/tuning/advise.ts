import type { Advice, AdviceRequest, Finding, FindingCode, HostAdvice, SettingChange } from '@plumbline/model';
import type { LegDiagnosis } from '../diagnosis/diagnose.js';
import type { FlowFacts, LegFacts } from '../diagnosis/facts.js';
import { wayOf } from '../diagnosis/flow-view.js';
import { algorithmNeed, willRunBbr } from './algorithm-need.js';
import { bufferNeed } from './buffer-need.js';
import type { Target } from './buffers.js';
import type { End, Need } from './need.js';
import { REQUESTS } from './requests.js';
import { ceilingNeed, probingNeed, scalingNeed } from './setting-needs.js';
import { filePath, fileText, undoCommands } from './sysctl-file.js';
import { codesOf, targetOf } from './target.js';

/**
 * Where these hold a larger window only makes bursts that something on the path throws away (FIELD-CASES B29, B37), or cannot
 * help at all: no buffer is raised.
 */
const BUFFERS_DO_NOT_HELP: readonly FindingCode[] = ['policed', 'per-flow-capped'];
const WINDOW_CODES: readonly FindingCode[] = ['receive-window-limited', 'send-buffer-limited'];

/**
 * What to change at the two ends of a path, from what its run found. Only what must change: maxima of buffers, congestion control
 * and qdisc at the sender, never the defaults, never lower than it is. Pure; throws for no facts.
 */
export function advise(leg: LegFacts, { findings, diagnosis }: LegDiagnosis): Advice {
  const holding = Object.values(findings)
    .flat()
    .filter(({ holds }) => holds === 'yes');
  const targets = { forward: targetOf(leg, findings, 'forward'), reverse: targetOf(leg, findings, 'reverse') };
  const needs = leg.flows.flatMap((flow) => needsOf(flow, codesOf(flow, findings), targets[wayOf(flow)]));
  const target = leg.flows.some((flow) => wayOf(flow) === 'forward') ? targets.forward : targets.reverse;
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

const endsOf = (flow: FlowFacts): { sender: End; receiver: End } =>
  wayOf(flow) === 'forward'
    ? { sender: 'source', receiver: 'destination' }
    : { sender: 'destination', receiver: 'source' };

function needsOf(flow: FlowFacts, codes: ReadonlySet<FindingCode>, target: Target | undefined): Need[] {
  const ends = endsOf(flow);
  const sender = flow.hosts.sender?.snapshot;
  const receiver = flow.hosts.receiver?.snapshot;
  const has = (code: FindingCode) => codes.has(code);
  const needs: Need[] = [];
  const buffers = (when: 'bound' | 'below-product') =>
    needs.push(
      bufferNeed(ends.receiver, 'net.ipv4.tcp_rmem', receiver, target, when),
      bufferNeed(ends.sender, 'net.ipv4.tcp_wmem', sender, target, when),
    );
  const helps = !BUFFERS_DO_NOT_HELP.some(has);
  if (helps && WINDOW_CODES.some(has)) buffers('bound');
  if (has('window-scaling-missing')) {
    const scaling = [scalingNeed(ends.sender, sender), scalingNeed(ends.receiver, receiver)];
    needs.push(...scaling);
    if (helps && scaling.some(({ changes }) => changes.length > 0)) buffers('below-product');
  }
  if (has('application-window-limited'))
    needs.push(
      ceilingNeed(ends.receiver, 'net.core.rmem_max', receiver, flow, target),
      ceilingNeed(ends.sender, 'net.core.wmem_max', sender, flow, target),
    );
  if (has('loss-limited') && !has('policed')) {
    const algorithm = algorithmNeed(ends.sender, sender, flow);
    needs.push(algorithm);
    // What loss held down needs the whole window as soon as it does not (B7).
    if (helps && willRunBbr(algorithm)) buffers('below-product');
  }
  if (has('mtu-black-hole')) needs.push(probingNeed(ends.sender, sender));
  return needs;
}

const ALWAYS = [
  'Only new connections use these values: start long-lived programs again.',
  'At a restart a file of /etc/sysctl.d that sorts after this one wins; sysctl --system shows the order.',
];

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
    apply: file ? [`sysctl -p ${file.path}`, ...new Set(own.flatMap(({ alsoApply }) => alsoApply))] : [],
    undo: file ? undoCommands(path, changes) : [],
    cautions: [...new Set([...own.flatMap(({ cautions }) => cautions), ...(file ? ALWAYS : [])])],
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
