import type { Tool } from '../../tool.js';

export const tracepath: Tool = {
  name: 'tracepath',
  versionArgv: ['tracepath', '-V'],
  package: 'iputils-tracepath',
  versions: 'iputils s20161105 to 20250605',
  parseVersion: (text) => /iputils[- ]s?(\d{6,8})/.exec(text)?.[1],
};
