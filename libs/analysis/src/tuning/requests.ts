import type { AdviceRequest, FindingCode } from '@plumbline/model';

type Ask = Omit<AdviceRequest, 'code'>;

/** Where no setting of the two hosts raises the limit: who can, and what to ask. */
export const REQUESTS: Readonly<Partial<Record<FindingCode, Ask>>> = {
  'link-limited': {
    who: 'carrier',
    ask: 'The flow has what the slowest link carries. Only a faster link gives more; no buffer or algorithm does.',
  },
  'loss-limited': {
    who: 'carrier',
    ask: 'Find where the path loses packets (errors, a small queue, a bad optic): loss-based flows slow down for each one.',
  },
  policed: {
    who: 'carrier',
    ask: 'Ask for the rate and burst of the policer, a larger burst, or a shaper in its place. Pace the sender below its rate; larger buffers make it worse.',
  },
  'per-flow-capped': {
    who: 'carrier',
    ask: 'Ask what limits a single flow. Until then several connections are the only way past it.',
  },
  'competing-traffic': {
    who: 'network administrator',
    ask: 'Find out what else uses the link, and measure again at another time of day; nothing at these two hosts makes room.',
  },
  'rtt-bound': {
    who: 'application owner',
    ask: 'Each transaction waits a round trip: fewer of them, several at once, or the ends nearer to each other. Bandwidth does not help.',
  },
  'host-cpu-limited': {
    who: 'host administrator',
    ask: 'Give the host or its group more CPU time, or use a tool with a thread for each stream; no TCP setting helps.',
  },
  'application-window-limited': {
    who: 'application owner',
    ask: 'Let the application not set SO_RCVBUF or SO_SNDBUF: the kernel then sizes the buffers by itself, up to tcp_rmem and tcp_wmem.',
  },
  'mtu-black-hole': {
    who: 'network administrator',
    ask: 'Let ICMP "fragmentation needed" and "packet too big" through, or set the MTU of the interfaces to what the path carries.',
  },
  fragmentation: {
    who: 'application owner',
    ask: 'Send datagrams that fit the path MTU: one lost fragment loses the whole datagram.',
  },
  reordering: {
    who: 'carrier',
    ask: 'Ask whether packets are spread over several links one by one: per-flow balancing keeps their order.',
  },
  bufferbloat: {
    who: 'network administrator',
    ask: 'Ask for a shorter queue or active queue management (RFC 7567) at the bottleneck: its queue delays everything else.',
  },
  'below-committed-rate': {
    who: 'carrier',
    ask: 'Hand over the run with its raw output: the path carries less than is paid for.',
  },
};
