export { runCli } from './cli.js';
export { type Context, processContext } from './context.js';
export { EXIT, type ExitCode, Failure } from './failure.js';
