// One file, so that all suites share one stack. Each may be read, and run, for itself: vitest -t NAME.
import './suites/house.js';
import './suites/sites.js';
import './suites/probes.js';
import './suites/enrolment.js';
import './suites/paths.js';
import './suites/plans.js';
import './suites/runs.js';
import './suites/idempotency.js';
import './suites/run-events.js';
import './suites/artifacts.js';
import './suites/bad-input.js';
import './suites/fuzz.js';
