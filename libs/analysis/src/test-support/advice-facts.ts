import type { Finding, HostSnapshot } from '@plumbline/model';
import type { FlowFacts, LegFacts } from '../diagnosis/facts.js';
import { advise } from '../tuning/advise.js';

/** A host, a flow and a leg as advice is given them, for tests: the shape of real facts. */
export const host = (over: Partial<HostSnapshot> = {}): HostSnapshot => ({
  takenAt: '2026-12-01T00:00:00.000Z',
  kernel: '6.8.0-1-amd64',
  tools: {},
  tcpRmem: { minBytes: 4096, defaultBytes: 131_072, maxBytes: 851_968 },
  tcpWmem: { minBytes: 4096, defaultBytes: 16_384, maxBytes: 4_194_304 },
  congestionControl: 'cubic',
  congestionControlsAvailable: ['reno', 'cubic', 'bbr'],
  sysctls: {
    'net.ipv4.tcp_window_scaling': '1',
    'net.ipv4.tcp_mtu_probing': '0',
    'net.core.rmem_max': '212992',
    'net.core.wmem_max': '212992',
    'net.core.default_qdisc': 'fq_codel',
  },
  unknown: {},
  ...over,
});

export const flow = (over: Partial<FlowFacts> = {}, sender = host(), receiver = host()): FlowFacts => ({
  step: 0,
  kind: 'single-stream',
  attempt: 0,
  outcome: 'completed',
  labels: {},
  direction: 'forward',
  streams: 1,
  throughputBps: 235e6,
  asked: {},
  congestionControl: 'cubic',
  baselineRttMs: 18,
  series: [],
  hosts: { sender: { snapshot: sender }, receiver: { snapshot: receiver } },
  ...over,
});

export const leg = (flows: readonly FlowFacts[], path: Partial<LegFacts['path']> = {}): LegFacts => ({
  path: {
    name: 'ber-par',
    source: { probe: 'ber', endpoint: 'wan' },
    destination: { probe: 'par', endpoint: 'wan' },
    committedRateBps: 1e9,
    rateLayer: 'ip',
    createdAt: '2026-12-01T00:00:00.000Z',
    updatedAt: '2026-12-01T00:00:00.000Z',
    ...path,
  },
  flows,
  udp: [],
  rtts: [],
  transactions: [],
  pathMtus: [],
});

export const holds = (code: Finding['code'], labels?: Finding['labels']): Finding => ({
  code,
  holds: 'yes',
  evidence: {},
  ...(labels ? { labels } : {}),
});
export const adviceOn = (facts: LegFacts, ...findings: Finding[]) =>
  advise(facts, { findings: { 0: findings }, diagnosis: { ruleSet: 'test', headline: '', limitedBy: 'unknown' } });
