// A process that makes a lab and stays, for tests that kill it: node make-lab.mjs NAME LABS_DIR owned|detached [exit]
// Prints "up" when the lab is up. Needs the built room (tsc -b).
import { labUp } from '@plumbline/lab';

const [name = '', labsDir = '', mode = '', then = ''] = process.argv.slice(2);
await labUp({ name, labsDir, mode: mode === 'detached' ? 'detached' : 'owned' });
console.log('up');
if (then !== 'exit') setInterval(() => {}, 60_000);
