import type { CounterMovement, HostSnapshot } from '@plumbline/model';

type Counters = Readonly<Record<string, number>>;
/** A group's movement, or why there is none. */
type Compared =
  | { readonly moved: Record<string, number>; readonly unknown?: Record<string, string> }
  | { readonly why: string };

/** From where a 32-bit counter counts on at zero: old kernels, and drivers on hardware that has no more bits. */
const WRAP = 2 ** 32;

/**
 * How far an end's counters moved between two snapshots. A counter below 2^32 that went from the upper half of 32 bits to the
 * lower half has wrapped; any other that went back was set to zero in between, and then nothing of its group is known: the
 * others were set to zero with it. A restarted host or a re-created interface likewise. Never throws.
 */
export function counterMovement(before: HostSnapshot | undefined, after: HostSnapshot | undefined): CounterMovement {
  const times = { since: before?.takenAt ?? null, until: after?.takenAt ?? null };
  if (!before || !after) {
    const why = `there is no snapshot ${before ? 'after' : 'before'} the test`;
    return { ...times, unknown: Object.fromEntries(GROUPS.map((group) => [group, why])) };
  }
  const compared = compareAll(before, after);
  const unknown: Record<string, string> = {};
  for (const group of GROUPS) {
    const one = compared[group];
    if ('why' in one) unknown[group] = one.why;
    else for (const [name, why] of Object.entries(one.unknown ?? {})) unknown[`${group}.${name}`] = why;
  }
  const moved = (group: Group) => {
    const one = compared[group];
    return 'why' in one ? {} : { [group]: QUIET.has(group) ? withoutZeros(one.moved) : one.moved };
  };
  return {
    ...times,
    ...(before.programsTakenAt === undefined ? {} : { programsSince: before.programsTakenAt }),
    ...(after.interface ? { interfaceName: after.interface.name } : {}),
    ...Object.assign({}, ...GROUPS.map(moved)),
    unknown,
  };
}

const GROUPS = ['interface', 'queue', 'driver', 'tcp', 'udp', 'ip', 'cpu'] as const;
type Group = (typeof GROUPS)[number];
/** Groups of hundreds: what did not move is left out. */
const QUIET: ReadonlySet<Group> = new Set(['driver', 'tcp', 'ip', 'cpu']);

function compareAll(before: HostSnapshot, after: HostSnapshot): Record<Group, Compared> {
  if ((after.uptimeS ?? 0) < (before.uptimeS ?? 0)) {
    const why = 'the host restarted in between';
    return {
      interface: { why },
      queue: { why },
      driver: { why },
      tcp: { why },
      udp: { why },
      ip: { why },
      cpu: { why },
    };
  }
  const [one, two] = [before.interface, after.interface];
  const other = otherInterface(one, two);
  const ofInterface = (compare: () => Compared): Compared => (other === undefined ? compare() : { why: other });
  return {
    interface: ofInterface(() => compareGroup(one?.counters, two?.counters, 'its counters could not be read')),
    queue: ofInterface(() => compareQueues(one, two)),
    driver: ofInterface(() => compareLoosely(one?.driverCounters, two?.driverCounters, driverReason(before, after))),
    tcp: compareGroup(before.tcpCounters, after.tcpCounters, '/proc/net/snmp and netstat did not tell them'),
    udp: compareGroup(before.udpCounters, after.udpCounters, '/proc/net/snmp did not tell them'),
    ip: compareGroup(before.ipCounters, after.ipCounters, '/proc/net/snmp did not tell them'),
    // The kernel's idle time of a CPU may go back a little (proc_stat(5)).
    cpu: compareLoosely(before.cpuCounters, after.cpuCounters, '/proc/stat did not tell it'),
  };
}

function otherInterface(one: HostSnapshot['interface'], two: HostSnapshot['interface']): string | undefined {
  if (!one || !two) return 'the interface of the endpoint is not known';
  if (one.name !== two.name) return `the endpoint moved from ${one.name} to ${two.name} in between`;
  const recreated = one.index !== undefined && two.index !== undefined && one.index !== two.index;
  return recreated ? `${one.name} was made anew in between (number ${one.index}, then ${two.index})` : undefined;
}

function compareQueues(one: HostSnapshot['interface'], two: HostSnapshot['interface']): Compared {
  if (one?.qdisc === 'noqueue' && two?.qdisc === 'noqueue') return { why: 'the interface has no queue (noqueue)' };
  if (one?.queue && two?.queue && (one.qdisc !== two.qdisc || one.queue.handle !== two.queue.handle))
    return { why: `the queueing discipline was replaced in between (${one.qdisc}, then ${two.qdisc})` };
  return compareGroup(one?.queue?.counters, two?.queue?.counters, 'tc did not tell its counters');
}

/** For groups where one that went back says nothing about the others: drivers also list states under `ethtool -S`. */
function compareLoosely(before: Counters | undefined, after: Counters | undefined, why: string): Compared {
  if (!before || !after) return { why };
  const pairs = pairsOf(before, after);
  const back = pairs.filter(([, from, to]) => growth(from, to) === undefined);
  return {
    moved: Object.fromEntries(pairs.flatMap(([name, from, to]) => entry(name, growth(from, to)))),
    unknown: Object.fromEntries(back.map(([name, from, to]) => [name, `it went back from ${from} to ${to}`])),
  };
}

const driverReason = (before: HostSnapshot, after: HostSnapshot): string =>
  after.unknown['cmd.ethtool-stats'] ?? before.unknown['cmd.ethtool-stats'] ?? 'ethtool -S told no counters';

function compareGroup(before: Counters | undefined, after: Counters | undefined, why: string): Compared {
  if (!before || !after) return { why };
  const pairs = pairsOf(before, after);
  const reset = pairs.find(([, from, to]) => growth(from, to) === undefined);
  if (reset)
    return { why: `the counters were set to zero in between (${reset[0]} went back from ${reset[1]} to ${reset[2]})` };
  const missing = Object.keys(after).filter((name) => before[name] === undefined);
  return {
    moved: Object.fromEntries(pairs.flatMap(([name, from, to]) => entry(name, growth(from, to)))),
    unknown: Object.fromEntries(missing.map((name) => [name, 'it was not read before the test'])),
  };
}

const pairsOf = (before: Counters, after: Counters): [string, number, number][] =>
  Object.entries(after).flatMap(([name, to]) => {
    const from = before[name];
    return from === undefined ? [] : [[name, from, to]];
  });

/** undefined: the counter went back, and not because it wrapped. */
function growth(from: number, to: number): number | undefined {
  if (to >= from) return to - from;
  const wrapped = from < WRAP && from >= WRAP / 2 && to < WRAP / 2;
  return wrapped ? to + WRAP - from : undefined;
}

const entry = (name: string, moved: number | undefined): [string, number][] =>
  moved === undefined ? [] : [[name, moved]];

const withoutZeros = (moved: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(moved).filter(([, value]) => value !== 0));
