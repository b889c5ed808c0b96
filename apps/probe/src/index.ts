export { type ProbeOptions, readEndpoint, readPortRange } from './configuration.js';
export { type EnrolOptions, enrol } from './identity/enrol.js';
export { main, type RunningProbe, startProbe } from './main.js';
