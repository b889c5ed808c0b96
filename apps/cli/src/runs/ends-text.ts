import { formatShare } from '@plumbline/analysis';
import type { Attempt } from '@plumbline/api-client';

type EndAccount = NonNullable<Attempt['ends']>[number];
interface Line {
  readonly attempts: number[];
  readonly accounts: EndAccount[];
}

/**
 * Sender and receiver of a step's attempts, a sentence each: what its sockets really ran, its CPU, what it measured.
 * Attempts that differ in CPU alone share a line, with the least and the most.
 */
export function endLines(attempts: readonly Attempt[]): string[] {
  const lines = new Map<string, Line>();
  for (const { n, ends } of attempts)
    for (const account of ends ?? []) {
      const { end, role, direction, congestionControl, congestionControlSampled, measured } = account;
      const key = JSON.stringify([end, role, direction, congestionControl, congestionControlSampled, measured]);
      const line = lines.get(key) ?? { attempts: [], accounts: [] };
      line.attempts.push(n);
      line.accounts.push(account);
      lines.set(key, line);
    }
  return [...lines.values()].map((line) => `${which(line.attempts, attempts.length)}${lineText(line.accounts)}`);
}

function lineText(accounts: readonly EndAccount[]): string {
  const [account] = accounts;
  if (!account) return '';
  const { end, role, direction, measured } = account;
  const facts = [direction, role, congestionControlText(account), `CPU ${cpuText(accounts)}`];
  const what = measured.length === 0 ? 'nothing' : measured.join(', ');
  return `${end} end (${facts.filter((fact) => fact !== undefined).join(', ')}) measured ${what}`;
}

function congestionControlText({ congestionControl, congestionControlSampled }: EndAccount): string {
  if (congestionControl === undefined) return 'congestion control unknown';
  return congestionControlSampled ? congestionControl : `${congestionControl} by the tool's word`;
}

/** Of one core. */
function cpuText(accounts: readonly EndAccount[]): string {
  const known = accounts.flatMap(({ cpuRatio }) => cpuRatio ?? []);
  const [least, most] = [Math.min(...known), Math.max(...known)].map(formatShare);
  if (known.length === 0 || least === undefined) return 'unknown';
  return least === most ? least : `${least} to ${most}`;
}

/** `attempts 0-2, 4: `, or nothing where the step has one attempt only. */
function which(numbers: readonly number[], of: number): string {
  if (of < 2) return '';
  const runs: [number, number][] = [];
  for (const n of numbers) {
    const last = runs.at(-1);
    if (last?.[1] === n - 1) last[1] = n;
    else if (last?.[1] !== n) runs.push([n, n]);
  }
  const text = runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
  return `attempt${text === String(numbers[0]) ? '' : 's'} ${text}: `;
}

const ENDS = ['near', 'far'] as const;
const GROUPS = ['interface', 'queue', 'driver', 'tcp', 'udp'] as const;
type Group = (typeof GROUPS)[number];

/** Counters of trouble that moved at an end of an attempt, a sentence each; nothing where none did. */
export function counterLines(attempts: readonly Attempt[]): string[] {
  return attempts.flatMap(({ n, counters }) =>
    ENDS.flatMap((end) => {
      const movement = counters?.[end];
      const moved = GROUPS.flatMap((group) => {
        const counted = Object.entries(movement?.[group] ?? {});
        return counted
          .filter(([name, by]) => by !== 0 && IS_TROUBLE[group](name))
          .map(([name, by]) => `${group === 'queue' || group === 'driver' ? `${group} ` : ''}${name} +${by}`);
      });
      const on = movement?.interfaceName === undefined ? '' : ` (${movement.interfaceName})`;
      return moved.length === 0
        ? []
        : [`${which([n], attempts.length)}counters of the ${end} end${on}: ${moved.join(', ')}`];
    }),
  );
}

/** What a healthy test moves as well. */
const TRAFFIC = /(?:bytes|packets|multicast|compressed)$/;
/** Drivers name their counters as they like (`ethtool -S`). */
const DRIVER_TROUBLE = /err|drop|discard|miss|crc|fifo|overr?un|timeout|no_?(?:buf|desc|mem)|fail|abort|collision/i;
/** Names of the kernel's net/ipv4/proc.c that say that something was lost, dropped, sent again or short of room. */
const TCP_TROUBLE: ReadonlySet<string> = new Set([
  ...['RetransSegs', 'InErrs', 'InCsumErrors', 'AttemptFails'].map((name) => `Tcp.${name}`),
  ...[
    ...['PruneCalled', 'RcvPruned', 'OfoPruned', 'ListenOverflows', 'ListenDrops'],
    ...['TCPLostRetransmit', 'TCPFastRetrans', 'TCPSlowStartRetrans', 'TCPSynRetrans', 'TCPRetransFail'],
    ...['TCPTimeouts', 'TCPSpuriousRTOs', 'TCPSACKReneging', 'TCPSACKReorder', 'TCPRenoReorder', 'TCPTSReorder'],
    ...['TCPRcvCollapsed', 'TCPBacklogDrop', 'PFMemallocDrop', 'TCPRcvQDrop', 'TCPOFODrop', 'TCPZeroWindowDrop'],
    ...['TCPToZeroWindowAdv', 'TCPWantZeroWindowAdv', 'TCPMemoryPressures', 'TCPAbortOnTimeout', 'TCPAbortOnMemory'],
    ...['TCPAbortFailed', 'TCPReqQFullDrop', 'TCPChallengeACK', 'PAWSEstab'],
  ].map((name) => `TcpExt.${name}`),
]);

const IS_TROUBLE: Readonly<Record<Group, (name: string) => boolean>> = {
  interface: (name) => !TRAFFIC.test(name),
  queue: (name) => !TRAFFIC.test(name),
  driver: (name) => DRIVER_TROUBLE.test(name),
  tcp: (name) => TCP_TROUBLE.has(name),
  udp: (name) => !/\.(?:In|Out)(?:Datagrams|Multi)|\.IgnoredMulti/.test(name),
};
