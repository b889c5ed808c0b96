/** The product's version: control plane, probe and CLI are released together. */
export const VERSION = '0.1.0';

/**
 * Whether a probe and a control plane understand each other: the same major and at most one minor version apart.
 * @returns undefined when they do, else the version that the probe's host should install.
 */
export function versionToInstall(controlPlane: string, probe: string): string | undefined {
  const [a, b] = [parts(controlPlane), parts(probe)];
  return a && b && a.major === b.major && Math.abs(a.minor - b.minor) <= 1 ? undefined : controlPlane;
}

function parts(version: string): { major: number; minor: number } | undefined {
  const m = /^(\d+)\.(\d+)\.\d+/.exec(version);
  return m ? { major: Number(m[1]), minor: Number(m[2]) } : undefined;
}
