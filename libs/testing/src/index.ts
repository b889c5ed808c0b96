export { CONFORMANCE_ENDPOINTS, type ConformanceSubject, Driver, heard } from './conformance-driver.js';
export * from './fake-probe.js';
export * from './fake-types.js';
export { probeConformance } from './probe-conformance.js';
export * from './product.js';
export { ScriptedSpec, scriptedAbilities } from './scripted.js';
export { joinProduct, offerProduct, type ProductOffer } from './shared-product.js';
