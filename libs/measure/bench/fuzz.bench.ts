// 100,000 damaged recordings through everything that reads what a program printed: none may make a reader throw, give a
// number that is none, or turn a failure into a success. The baseline is JSON.parse over the same kind of text in the same
// run. PLUMBLINE_SEED repeats a run, PLUMBLINE_FUZZ_INPUTS makes it shorter, a word after the file's name picks subjects. Node strips the types.
import { registerHooks } from 'node:module';

// Sources name each other as they are built (`./parse.js`); here they are run as they are written.
registerHooks({
  resolve(specifier, context, nextResolve) {
    const own = specifier.startsWith('.') && /\/libs\/\w+\/(src|test)\//.test(context.parentURL ?? '');
    return nextResolve(own ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});
const { fuzz, fuzzFailures, problemsAsRecorded } = await import('../test/fuzz/run.ts');
const { subjects } = await import('../test/fuzz/subjects.ts');

const inputs = Number(process.env.PLUMBLINE_FUZZ_INPUTS ?? 100_000);
const seed = Number(process.env.PLUMBLINE_SEED ?? Date.now() % 2 ** 31);
const chosen = subjects.filter(({ name }) => process.argv.slice(2).every((word) => name.includes(word)));
const each = Math.ceil(inputs / Math.max(1, chosen.length));
console.log(`PLUMBLINE_SEED=${seed}, ${each} inputs for each of ${chosen.length} readers`);

let failed = chosen.length === 0 ? 1 : 0;
let read = 0;
const began = performance.now();
for (const subject of chosen) {
  const startMs = performance.now();
  let said = '';
  try {
    said = problemsAsRecorded(subject).join('\n');
    fuzz(subject, { inputs: each, seed });
    fuzzFailures(subject, { inputs: Math.ceil(each / 10), seed });
  } catch (error) {
    // fast-check's own words say which damage it was, its cause what was wrong.
    const cause = error instanceof Error && error.cause instanceof Error ? `${error.cause.message}: ` : '';
    said += `${cause}${error instanceof Error ? error.message : error}`;
  }
  if (said !== '') failed += 1;
  read += each;
  const perSecond = Math.round((each * 1000) / (performance.now() - startMs));
  console.log(`${said === '' ? 'ok    ' : 'FAILED'} ${subject.name.padEnd(28)} ${perSecond} inputs/s ${said}`);
}
const perSecond = Math.round((read * 1000) / (performance.now() - began));
const text = JSON.stringify(subjects[0]?.recordings.map(({ texts }) => texts));
const parseMs = performance.now();
for (let i = 0; i < 100; i += 1) JSON.parse(text);
const baseline = Math.round((100 * text.length) / (performance.now() - parseMs) / 1000);
console.log(
  `${read} inputs, ${perSecond} a second; JSON.parse of ${text.length} characters in the same run: ${baseline} MB/s`,
);
process.exitCode = failed > 0 ? 1 : 0;
