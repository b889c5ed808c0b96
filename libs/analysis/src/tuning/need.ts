import type { HostAdvice, HostSnapshot, SettingChange } from '@plumbline/model';

export type End = HostAdvice['end'];

/** What one flow asks of one end. */
export interface Need {
  readonly end: End;
  readonly changes: readonly SettingChange[];
  /** Commands beyond the file, once it is in force. */
  readonly alsoApply: readonly string[];
  readonly cautions: readonly string[];
  readonly missing: readonly string[];
}

const NO_REMARKS = { changes: [], alsoApply: [], cautions: [], missing: [] } as const;

export const needOf = (end: End, more: Partial<Need>): Need => ({ end, ...NO_REMARKS, ...more });

/**
 * A sysctl as the host's snapshot had it. People paste it into a shell as part of the undo, and it comes from another machine: what
 * is not plain words and numbers is not known.
 */
export function currentOf(snapshot: HostSnapshot | undefined, key: string): string | undefined {
  const text =
    key === 'net.ipv4.tcp_congestion_control'
      ? (snapshot?.congestionControl ?? snapshot?.sysctls[key])
      : snapshot?.sysctls[key];
  return text !== undefined && /^[\w.-]+(?:[ \t]+[\w.-]+)*$/.test(text.trim()) ? text.trim() : undefined;
}

/** Major and minor version of the kernel. @returns undefined when it is not known: then nothing that depends on it is said */
export function kernelOf(snapshot: HostSnapshot | undefined): readonly [number, number] | undefined {
  const found = /^(\d+)\.(\d+)/.exec(snapshot?.kernel ?? '');
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

export const isAtLeast = ([major, minor]: readonly [number, number], wanted: readonly [number, number]): boolean =>
  major > wanted[0] || (major === wanted[0] && minor >= wanted[1]);
