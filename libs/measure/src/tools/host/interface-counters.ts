import { z } from 'zod';
import { type Facts, numberOf } from './facts.js';

type Counters = Record<string, number>;
const Numbers = z.record(z.string(), z.number());

/** The counters that `ip -j -s -s link` has of a link. */
export const LinkStatistics = z.object({ rx: Numbers.optional(), tx: Numbers.optional() });

/**
 * `rx_errors`, `rx_crc_errors`, `tx_dropped`, ... Files hold over the program: they are read without starting one, so before
 * the test also where the rest is read while it begins.
 */
export function countersOf(
  facts: Facts,
  name: string,
  stats: z.output<typeof LinkStatistics> | undefined,
): Counters | undefined {
  const link = (['rx', 'tx'] as const).flatMap((way) =>
    Object.entries(stats?.[way] ?? {}).map(([key, n]) => [`${way}_${key}`, n] as const),
  );
  const sysfs = statisticsOf(facts, name);
  const columns = columnsOf(facts.text('file./proc/net/dev'), name);
  const sums = sysfs.rx_dropped === undefined ? sumsOf(columns) : {};
  const counters = { ...Object.fromEntries(link), ...exactOf(columns), ...sums, ...sysfs };
  return Object.keys(counters).length > 0 ? counters : undefined;
}

/** Columns of /proc/net/dev (net/core/net-procfs.c) that mean exactly what the link's own counters of that name mean. */
const EXACT: Readonly<Record<string, number>> = {
  rx_bytes: 0,
  rx_packets: 1,
  rx_errors: 2,
  rx_fifo_errors: 4,
  rx_multicast: 7,
  tx_bytes: 8,
  tx_packets: 9,
  tx_errors: 10,
  tx_dropped: 11,
  tx_fifo_errors: 12,
};
/** Columns that add up several: dropped and missed; length, over, CRC and frame errors. */
const SUMS: Readonly<Record<string, number>> = { rx_dropped_or_missed: 3, rx_framing_errors: 5 };

const exactOf = (columns: readonly string[]): Counters => pick(columns, EXACT);
const sumsOf = (columns: readonly string[]): Counters => pick(columns, SUMS);

function pick(columns: readonly string[], places: Readonly<Record<string, number>>): Counters {
  const numbers = Object.entries(places).map(([key, at]) => [key, Number(columns[at] ?? Number.NaN)] as const);
  return Object.fromEntries(numbers.filter(([, value]) => Number.isSafeInteger(value)));
}

function columnsOf(text: string | undefined, name: string): string[] {
  const line = text?.split('\n').find((candidate) => candidate.trimStart().startsWith(`${name}:`));
  const columns = line?.slice(line.indexOf(`${name}:`) + name.length + 1);
  return columns?.trim().split(/\s+/) ?? [];
}

/** Files of /sys/class/net/IF (Documentation/ABI/testing/sysfs-class-net-statistics), by the names that `ip` gives them. */
function statisticsOf(facts: Facts, name: string): Counters {
  const folder = `file./sys/class/net/${name}/`;
  const others: Readonly<Record<string, string>> = {
    'statistics/collisions': 'tx_collisions',
    carrier_changes: 'tx_carrier_changes',
  };
  const found = facts.keys.flatMap((key) => {
    const file = key.startsWith(folder) ? key.slice(folder.length) : '';
    const counter = others[file] ?? /^statistics\/(\w+)$/.exec(file)?.[1];
    const value = numberOf(facts.text(key));
    return counter !== undefined && Number.isSafeInteger(value) ? [[counter, value ?? 0] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Lines of `ethtool -S`, such as `rx_queue_0_drops: 0`. */
export function driverCountersOf(text: string | undefined): Counters | undefined {
  const found = [...(text ?? '').matchAll(/^\s*(\S.*?):\s*(\d+)$/gm)].flatMap(([, key = '', value]) =>
    Number.isSafeInteger(Number(value)) ? [[key, Number(value)] as const] : [],
  );
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
