import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { interfaceOf, takeSnapshot } from './snapshot.js';

const tools = [
  { tool: 'iperf3', text: 'iperf 3.12 (cJSON 1.7.15)\nLinux', present: true },
  { tool: 'mtr', text: '', present: false },
];

test('every fact is a text or the reason why there is none', async () => {
  const facts = await takeSnapshot({ name: 'a', address: '127.0.0.1' }, '127.0.0.1', tools, tmpdir());
  expect(facts.filter((fact) => fact.text !== '' && fact.error !== '')).toEqual([]);
  const by = new Map(facts.map((fact) => [fact.key, fact]));
  expect(by.size).toBe(facts.length);
  expect(by.get('probe.interface')?.text).toBe('lo');
  expect(by.get('sysctl.net.ipv4.tcp_rmem')?.text.trim()).toMatch(/^\d+\s+\d+\s+\d+$/);
  expect(JSON.parse(by.get('cmd.ip-link')?.text ?? '')).toMatchObject([{ ifname: 'lo', stats64: { rx: {} } }]);
  expect(by.get('tool.iperf3')?.text).toBe('iperf 3.12 (cJSON 1.7.15)');
  expect(by.get('tool.mtr')).toMatchObject({ text: '', error: 'not installed' });
  expect(by.get('cmd.uname')?.text).toMatch(/^Linux \S+ \d+\.\d+/);
  expect(Number(by.get('cmd.nproc')?.text)).toBeGreaterThan(0);
  expect([...by.keys()].some((key) => key.includes('fastopen_key'))).toBe(false);
});

test('an address that no interface has is a reason, not a failure', async () => {
  expect(interfaceOf('192.0.2.77')).toBeUndefined();
  const facts = await takeSnapshot({ name: 'a', address: '192.0.2.77' }, undefined, [], tmpdir());
  expect(facts.find((fact) => fact.key === 'probe.interface')?.error).toContain('192.0.2.77');
});
