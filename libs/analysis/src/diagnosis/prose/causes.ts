import type { FindingCode } from '@plumbline/model';

/** Each code as the end of a sentence: "180 of 1000 Mbit/s, 18 % of what you pay for: ...". */
export const CAUSES: Readonly<Record<FindingCode, string>> = {
  'link-limited': 'the slowest link is full',
  'receive-window-limited': "the receiver's window holds the flow back",
  'send-buffer-limited': "the sender's buffer holds the flow back",
  'application-window-limited': 'the application set its own buffers too small',
  'window-scaling-missing': 'without window scaling no window is above 64 KiB',
  'loss-limited': 'loss holds the flow back',
  'congestion-control-mismatch': 'the congestion control does not suit the path',
  policed: 'a policer drops what is above its rate',
  'per-flow-capped': 'the path gives a single flow no more',
  'host-cpu-limited': 'a host cannot keep up',
  'rtt-bound': 'each transaction waits a round trip',
  'mtu-black-hole': 'large packets vanish on the path',
  fragmentation: 'datagrams are cut into fragments',
  reordering: 'packets arrive out of order',
  bufferbloat: 'a long queue delays everything',
  asymmetric: 'the two directions differ',
  'startup-dominated': 'the test was too short to leave slow start',
  'competing-traffic': 'others use the link',
  'parallel-hides-single-flow': 'several streams hide what one gets',
  'below-committed-rate': 'the path carries less than is promised',
  inconclusive: 'what limits it cannot be told yet',
};
