// A probe as a process of its own, with the scripted abilities beside the real ones. Runs what was built.
import { abilities } from '@plumbline/measure';
import { scriptedAbilities } from '../../../libs/testing/dist/scripted.js';
import { main } from '../dist/index.js';

process.exitCode = await main({ ...JSON.parse(process.argv[2]), abilities: [...abilities, ...scriptedAbilities] });
