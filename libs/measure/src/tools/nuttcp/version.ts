import type { Tool } from '../../tool.js';

/** `-fparse` came with 4.1.1 of the protocol; every 6.x and 8.x has it (nuttcp-6.1.2.c, change log). */
export const NUTTCP_OLDEST = '6.1.2';

export const nuttcp: Tool = {
  name: 'nuttcp',
  versionArgv: ['nuttcp', '-V'],
  package: 'nuttcp',
  versions: '6.1.2 to 8.2.2',
  parseVersion: (text) => /\bnuttcp-v?(\d+\.\d+\.\d+)/.exec(text)?.[1],
};
