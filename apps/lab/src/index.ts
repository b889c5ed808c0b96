export { type Capability, canMakeLab } from './capability.js';
export { allLabsDown, labDown } from './down.js';
export { buildEmulator } from './emulator-build.js';
export type { DirectionStat, LinkStat } from './emulator-control.js';
export { type LabExecOptions, labArgv, labExec, labStart, labSysctl, parseHost } from './host.js';
export { LAB_ERRORS, LabError, type LabErrorCode } from './lab-error.js';
export { type LabPlace, listLabs } from './lab-state.js';
export { labLay, labSet, parseLink } from './link.js';
export { type LinkCommand, linkCommandUsage, parseLinkCommand } from './link-command.js';
export { type PathFlags, parsePathFlags } from './path-flags.js';
export {
  formatDuration,
  formatRate,
  formatRatio,
  formatSize,
  parseCount,
  parseDuration,
  parseRate,
  parseRatio,
  parseSize,
} from './quantities.js';
export { type LabStatus, type LinkStatus, labStatus } from './status.js';
export { labStatusText, labText } from './text.js';
export {
  type Direction,
  type DirectionSettings,
  HOSTS,
  type Host,
  type Interface,
  LINK_PLACES,
  LINKS,
  type LinkNumber,
  type LinkOptions,
  type LinkSettings,
  namespaceOf,
  namespacePath,
  type PathOptions,
  pathOf,
} from './topology.js';
export { type Lab, type LabHost, type LabOptions, labUp } from './up.js';
