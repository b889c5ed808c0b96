import type { Tool } from '../../tool.js';

export const tcpdump: Tool = {
  name: 'tcpdump',
  versionArgv: ['tcpdump', '--version'],
  package: 'tcpdump',
  versions: '4.9 to 4.99',
  parseVersion: (text) => /\btcpdump version (\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1],
};
