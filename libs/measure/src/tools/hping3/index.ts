export { reachabilityByHping3 } from './reachability.js';
export { rttByHping3 } from './rtt.js';
export { traceByHping3 } from './trace.js';
export { hping3 } from './version.js';
