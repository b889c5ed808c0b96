import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Compiled code is kept beside the packages it came from; where that cannot be written, the start just takes longer.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/plumb', import.meta.url)));

const { runCli } = await import('./cli.js');
const { processContext } = await import('./context.js');

// Leaves at once: an idle keep-alive connection must not hold the prompt back. Writes to pipes and files are done by then.
process.exit(await runCli(process.argv.slice(2), processContext()));
