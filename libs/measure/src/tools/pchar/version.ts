import type { Tool } from '../../tool.js';

/** No longer developed since 1.5 (2005). */
export const pchar: Tool = {
  name: 'pchar',
  versionArgv: ['pchar', '-V'],
  package: 'pchar',
  versions: '1.5',
  parseVersion: (text) => /\bpchar (\d+\.\d+)/.exec(text)?.[1],
};
