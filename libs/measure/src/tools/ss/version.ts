import type { Tool } from '../../tool.js';

/** iproute2 numbers itself 4.20.0 or 6.1.0; before 2020 it prints a date: `iproute2-ss190107`. */
export const ss: Tool = {
  name: 'ss',
  versionArgv: ['ss', '-V'],
  package: 'iproute2',
  versions: 'iproute2 4.20 to 7.1',
  parseVersion: (text) => /iproute2-(?:ss)?(\d+(?:\.\d+)*)/.exec(text)?.[1],
};
