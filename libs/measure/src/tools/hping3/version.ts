import type { ProbeHost } from '../../ability.js';
import type { Tool } from '../../tool.js';

/** The last release is of 2005; its version names itself 3.0.0-alpha-2, or 3.0.0-alpha-1 on some systems. */
export const hping3: Tool = {
  name: 'hping3',
  versionArgv: ['hping3', '--version'],
  package: 'hping3',
  versions: '3.0.0-alpha-1 and 3.0.0-alpha-2',
  parseVersion: (text) => /\bhping3? version (\d+\.\d+\.\d+(?:-[a-z]+-\d+)?)/.exec(text)?.[1],
};

/** Its packets leave through raw sockets, which only root may open. */
export const mayOpenRawSockets = (host: ProbeHost): boolean => host.root === true;
