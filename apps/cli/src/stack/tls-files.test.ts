import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCa } from '@plumbline/probe-rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT, Failure } from '../failure.js';
import { readTlsFiles } from './tls-files.js';

let dir: string;
const at = (name: string): string => join(dir, name);
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plumb-tls-'));
  const [one, other] = [await makeCa(), await makeCa()];
  await Promise.all([
    writeFile(at('one.pem'), one.certificate),
    writeFile(at('one.key'), one.key),
    writeFile(at('other.key'), other.key),
    writeFile(at('nonsense'), 'nonsense'),
  ]);
});
afterAll(() => rm(dir, { recursive: true }));

test('a certificate with its key is read', async () => {
  expect(await readTlsFiles({ cert: at('one.pem'), key: at('one.key') })).toContain('BEGIN CERTIFICATE');
});

test.each([
  ['one.pem', 'other.key', 'do not belong together'],
  ['nonsense', 'one.key', 'is no certificate'],
  ['one.pem', 'nonsense', 'is no private key'],
  ['gone', 'one.key', 'certificate .* cannot be read'],
  ['one.pem', 'gone', 'key .* cannot be read'],
])('%s with %s: %s, in words and with what to type', async (cert, key, words) => {
  const failure = await readTlsFiles({ cert: at(cert), key: at(key) }).catch((error: unknown) => error);
  if (!(failure instanceof Failure)) throw new Error('a Failure was expected');
  expect(failure.message).toMatch(new RegExp(words));
  expect(failure.message).not.toMatch(/error:[0-9A-F]{8}|routines/);
  expect(failure.exitCode).toBe(EXIT.usage);
  expect(failure.next).toContain('--tls-cert');
});
