export { EXPECTED_MIGRATIONS } from './health/expected-migrations.js';
export type { ControlPlaneOptions } from './settings.js';
export { main, type RunningControlPlane, startControlPlane } from './start.js';
