// @ts-check
// Which machines can run Plumbline.

/**
 * Why this machine cannot, in a sentence; undefined when it can.
 * @param {{ platform: string, arch: string, glibc: string | undefined }} machine
 */
export function refusalOf({ platform, arch, glibc }) {
  if (platform !== 'linux')
    return `Plumbline runs on Linux (it reads the kernel's TCP counters); this is ${platform}. Use a Linux machine or a virtual one.`;
  if (arch !== 'x64' && arch !== 'arm64')
    return `Plumbline comes with PostgreSQL and Node for x64 and arm64; this is ${arch}.`;
  if (glibc === undefined)
    return 'Plumbline comes with PostgreSQL and Node built for glibc (Debian, Ubuntu, Fedora ...); this Linux has another C library (musl?).';
  return undefined;
}

export function thisMachine() {
  // Asking for the network interfaces can take seconds where names do not resolve.
  Object.assign(process.report, { excludeNetwork: true });
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return { platform: process.platform, arch: process.arch, glibc: report.header.glibcVersionRuntime };
}
