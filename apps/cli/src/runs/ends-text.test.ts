import type { Attempt } from '@plumbline/model';
import { describe, expect, it } from 'vitest';
import { counterLines, endLines } from './ends-text.js';

const attempt = (n: number, over: Partial<Attempt> = {}): Attempt => ({
  n,
  repeat: n + 1,
  startedAt: null,
  endedAt: null,
  outcome: 'completed',
  metrics: [],
  commands: [],
  notes: [],
  ...over,
});
type Account = NonNullable<Attempt['ends']>[number];
const sender = (over: Partial<Account> = {}): Account => ({
  end: 'near',
  role: 'sender',
  congestionControl: 'cubic',
  congestionControlSampled: true,
  cpuRatio: 0.046,
  measured: ['retransmits', 'rtt.min'],
  ...over,
});
const receiver = (over: Partial<Account> = {}): Account =>
  sender({ end: 'far', role: 'receiver', cpuRatio: 0.006, measured: ['throughput'], ...over });

describe('both ends', () => {
  it('say what each really ran, its CPU and what it measured', () => {
    expect(endLines([attempt(0, { ends: [sender(), receiver({ congestionControl: 'bbr' })] })])).toEqual([
      'near end (sender, cubic, CPU 4.6 %) measured retransmits, rtt.min',
      'far end (receiver, bbr, CPU 0.6 %) measured throughput',
    ]);
  });

  it('say what is unknown, and what only the tool says', () => {
    const unknown = { congestionControl: undefined, congestionControlSampled: false, cpuRatio: undefined };
    const ends = [sender({ congestionControlSampled: false }), receiver({ ...unknown, measured: [] })];
    expect(endLines([attempt(0, { ends })])).toEqual([
      "near end (sender, cubic by the tool's word, CPU 4.6 %) measured retransmits, rtt.min",
      'far end (receiver, congestion control unknown, CPU unknown) measured nothing',
    ]);
  });

  it('of repeats share a line; what differs in more than its CPU does not', () => {
    const bbr = { congestionControl: 'bbr' };
    const attempts = [
      attempt(0, { ends: [sender()] }),
      attempt(1, { ends: [sender({ cpuRatio: 0.1 })] }),
      attempt(2, { ends: [sender(bbr)] }),
      attempt(3, { ends: [sender({ cpuRatio: undefined })] }),
      attempt(4, { outcome: 'refused', reason: 'tool-missing' }),
    ];
    expect(endLines(attempts)).toEqual([
      'attempts 0-1, 3: near end (sender, cubic, CPU 4.6 % to 10 %) measured retransmits, rtt.min',
      'attempt 2: near end (sender, bbr, CPU 4.6 %) measured retransmits, rtt.min',
    ]);
  });

  it('of both directions at once are told apart', () => {
    const ends = [sender({ direction: 'forward' }), receiver({ end: 'near', direction: 'reverse' })];
    expect(endLines([attempt(0, { ends })])).toEqual([
      'near end (forward, sender, cubic, CPU 4.6 %) measured retransmits, rtt.min',
      'near end (reverse, receiver, cubic, CPU 0.6 %) measured throughput',
    ]);
  });

  it('of a test that moves no data are not there', () => {
    expect(endLines([attempt(0), attempt(1)])).toEqual([]);
  });
});

const times = { since: null, until: null, unknown: {} };

describe('counters', () => {
  it('that moved and mean trouble are shown, with their end and interface', () => {
    const near = {
      ...times,
      interfaceName: 'eth0',
      interface: { rx_bytes: 5e9, rx_packets: 4e6, rx_crc_errors: 3, tx_dropped: 0 },
      queue: { drops: 12, requeues: 0 },
      driver: { rx_queue_0_packets: 9, rx_no_buffer_count: 2 },
      tcp: { 'Tcp.RetransSegs': 40, 'Tcp.OutSegs': 9e6, 'TcpExt.TCPLostRetransmit': 1, 'TcpExt.TCPHPHits': 70 },
      udp: { 'Udp.InDatagrams': 70, 'Udp.RcvbufErrors': 4, 'Udp6.InErrors': 0 },
    };
    expect(counterLines([attempt(0, { counters: { near, far: { ...times, interface: { rx_bytes: 5 } } } })])).toEqual([
      'counters of the near end (eth0): rx_crc_errors +3, queue drops +12, driver rx_no_buffer_count +2, Tcp.RetransSegs +40, TcpExt.TCPLostRetransmit +1, Udp.RcvbufErrors +4',
    ]);
  });

  it('that did not move, or that nobody could compare, are not', () => {
    const quiet = { ...times, interface: { rx_dropped: 0 }, udp: { 'Udp.RcvbufErrors': 0 } };
    const unknown = { ...times, unknown: { interface: 'the host restarted in between' } };
    expect(counterLines([attempt(0, { counters: { near: quiet, far: unknown } }), attempt(1)])).toEqual([]);
  });

  it('name their attempt where there are several', () => {
    const far = { ...times, tcp: { 'Tcp.RetransSegs': 7 } };
    expect(counterLines([attempt(0), attempt(1, { counters: { far } })])).toEqual([
      'attempt 1: counters of the far end: Tcp.RetransSegs +7',
    ]);
  });
});
