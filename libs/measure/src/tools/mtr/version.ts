import type { Tool } from '../../tool.js';

export const mtr: Tool = {
  name: 'mtr',
  versionArgv: ['mtr', '--version'],
  package: 'mtr-tiny',
  versions: '0.87 to 0.96',
  parseVersion: (text) => /^mtr (0\.\d+)/m.exec(text)?.[1],
};
