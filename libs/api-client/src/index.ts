export * from './client.js';
export { ApiProblem, type Problem, problemFrom } from './problem.js';
export { type RunEventMessage, type RunEventsOptions, runEvents } from './run-events.js';
export type { components, operations, paths } from './schema.js';
export { type SseMessage, SseParser } from './sse-parser.js';
