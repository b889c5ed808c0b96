import { type Ending, ended, type Reason } from '@plumbline/model';

/** What had been measured when the error came: it decides between failed and partial. */
export interface Progress {
  /** At least one interval with bytes was reported. */
  readonly measured: boolean;
  readonly windowAsked: boolean;
}

interface Rule {
  readonly words: readonly string[];
  /** When nothing had been measured yet, or always if `whenMeasured` is absent. Absent: the next rules decide then. */
  readonly reason?: Reason;
  readonly whenMeasured?: Reason;
}

const CONTROL = [
  'the control socket',
  'control socket has closed',
  'control message',
  'unable to receive results',
  'unable to send results',
  'select failed',
];

/**
 * What iperf3's sentences mean, first match wins. They begin with "error - ", "interrupt - " or nothing, and end with
 * strerror(3), depending on the version: so parts are looked for, in lower case (src/iperf_error.c, 3.9 to 3.21).
 */
const RULES: readonly Rule[] = [
  { words: ['busy running a test'], reason: 'server-busy' },
  { words: ['authorization failed', 'authentication'], reason: 'authentication-failed' },
  { words: ['unrecognized option', 'unknown option', 'invalid option'], reason: 'tool-too-old' },
  { words: CONTROL, whenMeasured: 'control-connection-lost' },
  {
    words: ['the server has terminated', 'server_terminate'],
    reason: 'connection-reset',
    whenMeasured: 'control-connection-lost',
  },
  {
    words: ['interrupt - ', 'terminated by signal', 'the client has terminated'],
    reason: 'tool-killed',
    whenMeasured: 'interrupted',
  },
  { words: ['cannot assign requested address'], reason: 'local-address-unavailable' },
  { words: ['address already in use', 'unable to start listener'], reason: 'port-in-use' },
  { words: ['connection refused'], reason: 'connection-refused', whenMeasured: 'connection-reset' },
  {
    words: ['no route to host', 'network is unreachable', 'host is unreachable', 'network is down'],
    reason: 'no-route',
  },
  { words: ['tcp_congestion', 'congestion control algorithm not supported'], reason: 'congestion-control-unavailable' },
  { words: ['socket buffer size', 'socket window size'], reason: 'socket-buffer-refused' },
  {
    words: ['idle timeout for receiving data', 'timed out', 'operation now in progress'],
    reason: 'connection-timed-out',
  },
  { words: [...CONTROL, 'connection reset', 'broken pipe', 'closed unexpectedly'], reason: 'connection-reset' },
];

/** The ending that an error of iperf3 stands for; its own words are the detail. */
export function classify(message: string, progress: Progress): Ending {
  const words = message.toLowerCase();
  const said = `iperf3: ${message.trim() || 'an error without words'}`;
  for (const rule of RULES) {
    const reason = progress.measured ? (rule.whenMeasured ?? rule.reason) : rule.reason;
    if (reason !== undefined && rule.words.some((word) => words.includes(word))) return ended(reason, said);
  }
  // 3.1.3 says just "error - " when the kernel gave less than -w asked for (iperf issue 757).
  const silent = words.replace(/^(error|parameter error)\s*-\s*/, '').trim() === '';
  if (silent && progress.windowAsked) return ended('socket-buffer-refused', said);
  return ended('tool-failed', said);
}
