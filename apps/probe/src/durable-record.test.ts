import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { DurableRecord } from './durable-record.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-record-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let n = 0;
const file = (): string => join(folder, `${n++}`);

test('what was written last is read, by this and by a later life; the size stays', () => {
  const path = file();
  expect(new DurableRecord(path).read()).toBeUndefined();
  const record = new DurableRecord(path);
  record.write('one');
  const { size } = statSync(path);
  record.write('two');
  const later = new DurableRecord(path);
  expect(later.read()).toBe('two');
  later.write('three, with ü and ☃');
  expect(new DurableRecord(path).read()).toBe('three, with ü and ☃');
  expect(statSync(path)).toMatchObject({ size, mode: 0o100600 });
});

test('a text that does not fit makes the file anew', () => {
  const path = file();
  const record = new DurableRecord(path);
  record.write('small');
  record.write('x'.repeat(20_000));
  expect(new DurableRecord(path).read()).toBe('x'.repeat(20_000));
  record.write('small again');
  expect(new DurableRecord(path).read()).toBe('small again');
});

test('a write that was cut anywhere leaves the text before it', () => {
  const path = file();
  const record = new DurableRecord(path);
  record.write('before');
  const old = readFileSync(path);
  record.write('after');
  const whole = readFileSync(path);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: whole.length }), (cut) => {
      writeFileSync(path, Buffer.concat([whole.subarray(0, cut), old.subarray(cut)]));
      expect(['before', 'after']).toContain(new DurableRecord(path).read());
    }),
  );
});

test('two spoilt places are said, not forgotten', () => {
  const path = file();
  new DurableRecord(path).write('text');
  truncateSync(path, 10);
  expect(() => new DurableRecord(path).read()).toThrow('no whole record');
});
