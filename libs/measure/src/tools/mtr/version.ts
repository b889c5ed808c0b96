import type { ProbeHost } from '../../ability.js';
import { atLeast, type Tool } from '../../tool.js';

export const mtr: Tool = {
  name: 'mtr',
  versionArgv: ['mtr', '--version'],
  package: 'mtr-tiny',
  versions: '0.87 to 0.96',
  parseVersion: (text) => /^mtr (0\.\d+)/m.exec(text)?.[1],
};

/** What the host's mtr can do. An unknown version is judged as the oldest. */
export const mtrCan = (host: ProbeHost): { readonly interface: boolean } => ({
  /** `-I` (0.93, ui/mtr.c); without it the address that it is bound to decides. */
  interface: atLeast(mtr.parseVersion(host.tools.mtr ?? ''), '0.93'),
});
