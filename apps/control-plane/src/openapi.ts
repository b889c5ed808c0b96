import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describePreview } from './app.js';

const file = process.argv[2];
if (!file) throw new Error('usage: node dist/openapi.js FILE');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(await describePreview(), null, 2)}\n`);
