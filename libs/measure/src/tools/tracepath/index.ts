export { traceByTracepath } from './trace.js';
export { tracepath } from './version.js';
