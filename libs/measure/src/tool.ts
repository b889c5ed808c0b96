/** A program that Plumbline knows how to drive: how it tells its version, and where it comes from. */
export interface Tool {
  readonly name: string;
  /** Makes the program tell its version. Both of its streams are read. */
  readonly versionArgv: readonly [string, ...string[]];
  /** The Debian and Ubuntu package that has it. */
  readonly package: string;
  /** Which versions are understood, in words. */
  readonly versions: string;
  /** The version in what the program said of itself, as `3.12` or `20221126`; undefined: not recognised. */
  readonly parseVersion: (text: string) => string | undefined;
}

/**
 * Whether a version is at least the wanted one, compared number by number ("3.9" is older than "3.10").
 * An unknown version is judged as the oldest supported one: false.
 */
export function atLeast(version: string | undefined, wanted: string): boolean {
  if (version === undefined) return false;
  const a = numbers(version);
  const b = numbers(wanted);
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

const numbers = (version: string): number[] =>
  version
    .split(/[^0-9]+/)
    .filter(Boolean)
    .map(Number);
