import type { MetricFact } from '../../metric-fact.js';

/** What a throughput measurement says. Names and units are PRODUCT.md's; `rtt.baseline` is the denominator of `buffer-delay`. */
export const throughputMetrics = [
  {
    name: 'throughput',
    unit: 'bit/s',
    better: 'higher',
    description:
      "Payload bits a second as the receiver counted them, all streams together, the omitted part excluded. Null when the receiver's count did not arrive.",
  },
  {
    name: 'retransmits',
    unit: 'segments',
    better: 'lower',
    description: 'Segments that the sender sent again, all streams together, the omitted part excluded.',
  },
  {
    name: 'rtt.min',
    unit: 'ms',
    better: 'lower',
    description:
      "Smallest smoothed round-trip time of the sender's socket while the test ran, the omitted part excluded.",
  },
  {
    name: 'rtt.mean',
    unit: 'ms',
    better: 'lower',
    description:
      "Mean of the smoothed round-trip time of the sender's socket while the test ran (RFC 6349 section 4.3).",
  },
  {
    name: 'rtt.max',
    unit: 'ms',
    better: 'lower',
    description: "Largest smoothed round-trip time of the sender's socket while the test ran.",
  },
  {
    name: 'rtt.baseline',
    unit: 'ms',
    better: 'lower',
    description:
      'Smallest ping round-trip time just before the test, without its load: the denominator of buffer-delay.',
  },
  {
    name: 'cwnd.max',
    unit: 'B',
    better: 'none',
    description:
      "Largest congestion window of the sender's socket, in bytes (segments times MSS); of several streams that of the widest.",
  },
  {
    name: 'window.max',
    unit: 'B',
    better: 'none',
    description:
      "Largest window that the receiver advertised, as the sender's socket saw it; of several streams the largest of one. Null where the sender's kernel (before 5.4) or ss does not say.",
  },
  {
    name: 'limited.receive-window',
    unit: 'ratio',
    better: 'lower',
    description:
      "Share of the sender's busy time (of all streams) in which the receiver's window held it back (tcpi_rwnd_limited / tcpi_busy_time).",
  },
  {
    name: 'limited.send-buffer',
    unit: 'ratio',
    better: 'lower',
    description:
      "Share of the sender's busy time (of all streams) in which its own send buffer held it back (tcpi_sndbuf_limited / tcpi_busy_time).",
  },
  {
    name: 'cpu.sender',
    unit: 'ratio',
    better: 'lower',
    description:
      "CPU time of the sending program by wall-clock time, of one core: 1 is one core full, and a program with a thread for each stream (iperf3 since 3.16) may fill more. Softirq isn't in it.",
  },
  {
    name: 'cpu.receiver',
    unit: 'ratio',
    better: 'lower',
    description:
      "CPU time of the receiving program by wall-clock time, of one core: 1 is one core full, and a program with a thread for each stream (iperf3 since 3.16) may fill more. Softirq isn't in it.",
  },
  {
    name: 'efficiency',
    unit: 'ratio',
    better: 'higher',
    description:
      'TCP efficiency, RFC 6349 section 4.2: (transmitted - retransmitted) / transmitted bytes, transmitted including retransmitted.',
  },
  {
    name: 'buffer-delay',
    unit: 'ratio',
    better: 'lower',
    description: 'Buffer delay, RFC 6349 section 4.3: (mean RTT under load - baseline RTT) / baseline RTT.',
  },
  {
    name: 'transfer-time-ratio',
    unit: 'ratio',
    better: 'lower',
    description:
      'RFC 6349 section 4.1: actual by ideal transfer time, the ideal being the committed rate less IP and TCP headers (without options, so that a perfect line with timestamps gives 1.008).',
  },
] as const satisfies readonly MetricFact[];
