export { findProgram } from './environment.js';
export { makeFolder } from './folder.js';
export { currentBootId, endOrphans, identifyProcess, isAlive, ProcessIdentity } from './identity.js';
export { runProcess, startProcess } from './run.js';
export type { ProcessResult, ProcessSpec, RunningProcess } from './spec.js';
export { keepShellsWaiting } from './waiting-shells.js';
