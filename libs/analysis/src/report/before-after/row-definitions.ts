import { formatBytes, formatBytesExact, formatCount, formatMs, formatRate, formatShare } from '../format.js';
import type { LinkFacts, SideFacts } from './facts.js';
import type { SideData } from './input.js';

type Format = (value: number | null) => string;
export interface Line {
  key: string;
  label: string;
  source: string;
  format: Format;
  pick: (side: SideData, facts: SideFacts) => number | null;
  main?: boolean;
  /** A ratio of two settings or counts says little; left out unless asked for. */
  ratio?: boolean;
}

/** Where the numbers of a connection come from. */
export const SOCKET = "ss on the sender, the test's data socket";
const computed = (how: string): string => `computed: ${how}`;

/** The table's lines in reading order; those about the link only where there is one. */
export function linesFor(link: LinkFacts | null): Line[] {
  const known: Line[] = [
    {
      key: 'throughput',
      label: 'Throughput of one flow',
      source: "the tool's total at the receiver, TCP payload, omitted part excluded",
      format: formatRate,
      pick: (s) => s.throughputBps,
      main: true,
      ratio: true,
    },
    { key: 'rttIdle', label: 'Round trip, idle (median)', source: 'ping', format: formatMs, pick: (s) => s.rttP50Ms },
    {
      key: 'rttLoaded',
      label: 'Round trip, under load (mean)',
      source: `${SOCKET}: rtt`,
      format: formatMs,
      pick: (s) => s.rttLoadedMeanMs,
    },
    {
      key: 'window',
      label: "Receiver's window, largest",
      source: `${SOCKET}: snd_wnd`,
      format: formatBytes,
      pick: (s) => s.windowMaxBytes,
      main: true,
      ratio: true,
    },
    {
      key: 'windowCeiling',
      label: 'Window / RTT ceiling',
      source: computed('largest window × 8 / round trip (RFC 6349, section 3.3.1)'),
      format: formatRate,
      pick: (_, f) => f.windowCeilingBps,
      main: true,
      ratio: true,
    },
    {
      key: 'windowShare',
      label: 'Throughput / (window / RTT)',
      source: computed('first row / the row above'),
      format: formatShare,
      pick: (_, f) => f.throughputToWindowCeiling,
    },
  ];
  return link ? [...known, ...linkLines(link), ...SOCKET_LINES] : [...known, ...SOCKET_LINES];
}

function linkLines(link: LinkFacts): Line[] {
  return [
    {
      key: 'bdp',
      label: 'Bandwidth-delay product',
      source: computed('link rate × idle round trip / 8 (RFC 6349, section 3.3.1)'),
      format: formatBytes,
      pick: (_, f) => f.bdpBytes,
    },
    {
      key: 'windowToBdp',
      label: 'Window / BDP',
      source: computed('below 100 % the flow cannot fill the link'),
      format: formatShare,
      pick: (_, f) => f.windowToBdp,
    },
    {
      key: 'linkRate',
      label: `Link rate (${link.layer === 'ip' ? 'IP bytes' : link.layer === 'ethernet' ? 'Ethernet line' : 'payload'})`,
      source: link.source === 'contract' ? "the path's committed rate" : "the lab's own setting",
      format: formatRate,
      pick: () => link.rateBps,
    },
    {
      key: 'tcpCeiling',
      label: 'TCP can carry on it',
      source: computed('link rate less headers (RFC 6349, section 4.1.1)'),
      format: formatRate,
      pick: () => link.tcpCeilingBps,
      main: true,
    },
    {
      key: 'tcpShare',
      label: 'Throughput / what TCP can carry',
      source: computed('first row / the row above'),
      format: formatShare,
      pick: (_, f) => f.throughputToTcpCeiling,
      main: true,
    },
  ];
}

const SOCKET_LINES: Line[] = [
  {
    key: 'limitedReceiveWindow',
    label: "Waiting for the receiver's window",
    source: `${SOCKET}: rwnd_limited / busy`,
    format: formatShare,
    pick: (s) => s.limitedReceiveWindow,
  },
  {
    key: 'limitedSendBuffer',
    label: 'Waiting for the send buffer',
    source: `${SOCKET}: sndbuf_limited / busy`,
    format: formatShare,
    pick: (s) => s.limitedSendBuffer,
  },
  {
    key: 'cwnd',
    label: 'Congestion window, largest',
    source: `${SOCKET}: cwnd × mss`,
    format: formatBytes,
    pick: (s) => s.cwndMaxBytes,
  },
  {
    key: 'retransmits',
    label: 'Segments retransmitted',
    source: "the tool's total at the sender",
    format: formatCount,
    pick: (s) => s.retransmits,
  },
  {
    key: 'tcpRmemMax',
    label: "Receiver's tcp_rmem maximum",
    source: 'host snapshot: net.ipv4.tcp_rmem, third value',
    format: formatBytesExact,
    pick: (s) => s.tcpRmemMaxBytes,
    ratio: true,
  },
];
