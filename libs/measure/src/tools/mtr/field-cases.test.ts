import { describe, expect, test } from 'vitest';
import type { ProbeHost } from '../../ability.js';
import { TraceSpec } from '../../measurements/trace/index.js';
import { outputOf, type Recording, valueIn } from '../../test-support/reading.js';
import { traceByMtr } from './index.js';
import { parseMtr } from './parse.js';
import { readMtr } from './read.js';

/* Field case A57 of docs/field-cases.md. Forms: ui/report.c, json_close, of traviscross/mtr v0.92 (printf) and v0.96 (jansson); own numbers. */
interface Hub {
  readonly host: string;
  readonly loss: number;
  readonly rtt: number;
}
const times = (rtt: number) => ({ Last: rtt, Avg: rtt, Best: rtt, Wrst: rtt, StDev: 0 });
/** Numbers as strings, the first hub on the line of its list, the end on that of the last. */
function printed092(hubs: readonly Hub[], asn = ''): string {
  const list = hubs.map(({ host, loss, rtt }, i) => {
    const t = rtt.toFixed(2);
    const fields = `"Loss%": ${loss.toFixed(2)},\n      "Snt": 10,\n      "Last": ${t},\n      "Avg": ${t},\n      "Best": ${t},\n      "Wrst": ${t},\n      "StDev": 0.00`;
    return `${i === 0 ? '' : '    '}{\n      "count": "${i + 1}",\n      "host": "${host}",\n${asn}      ${fields}\n    ${i + 1 === hubs.length ? '}]' : '},'}\n`;
  });
  const head =
    '"mtr": {\n      "src": "a",\n      "dst": "192.0.2.66",\n      "tos": "0x0",\n      "psize": "64",\n      "bitpattern": "0x00",\n      "tests": "10"\n    },\n';
  return `{\n  "report": {\n    ${head}    "hubs": [${list.join('')}  }\n}\n`;
}
const printed096 = (hubs: readonly Hub[], asn = {}): string => {
  const list = hubs.map(({ host, loss, rtt }, i) => ({
    count: i + 1,
    host,
    ...asn,
    'Loss%': loss,
    Snt: 10,
    ...times(rtt),
  }));
  const mtr = { src: 'a', dst: '192.0.2.66', tos: 0, tests: 10, psize: '64', bitpattern: '0x00' };
  return `${JSON.stringify({ report: { mtr, hubs: list } }, undefined, 4)}\n`;
};
const hubs: readonly Hub[] = [
  { host: '192.0.2.1', loss: 0, rtt: 1.5 },
  { host: '???', loss: 100, rtt: 0 },
  { host: '192.0.2.3', loss: 40, rtt: 7.25 },
  { host: '192.0.2.66', loss: 0, rtt: 8.5 },
];
const reading = (stdout: string, stderr = '', exitCode = 0) => {
  const phase = { end: 'near', name: 'flow-1', tool: 'mtr', argv: ['mtr', '192.0.2.66'], signal: null } as const;
  const recording: Recording = { source: '', phases: [{ ...phase, stdout, stderr, exitCode }] };
  return readMtr(TraceSpec.parse({ cycles: 10 }), outputOf(recording));
};

describe('A57: the JSON of mtr', () => {
  test.each([
    ['0.92', printed092(hubs)],
    ['0.92 with AS numbers', printed092(hubs, '      "ASN": "AS64500",\n')],
    ['0.96', printed096(hubs)],
    ['0.96 with AS numbers', printed096(hubs, { ASN: 'AS64500' })],
  ])('%s: silent hops have no times, and a hop that limits its ICMP is not lossy', (_version, stdout) => {
    const r = reading(stdout);
    expect(r.ending).toEqual({ outcome: 'completed' });
    const at = (name: string, hop: number) => valueIn(r, name, { hop: String(hop) });
    expect([at('hop.rtt.mean', 2), at('hop.rtt.min', 2)]).toEqual(['no-reply', 'no-reply']);
    expect([at('hop.loss', 3), at('hop.unanswered', 3)]).toEqual([0, 0.4]);
    expect([valueIn(r, 'loss'), valueIn(r, 'rtt.mean')]).toEqual([0, 8.5]);
    expect(r.notes.join()).toContain('hop 3 limits its ICMP');
  });

  test('loss that the last hop has too is loss', () => {
    const lossy = hubs.map((hub) => (hub.host === '192.0.2.66' ? { ...hub, loss: 40 } : hub));
    for (const text of [printed092(lossy), printed096(lossy)])
      expect(valueIn(reading(text), 'loss')).toBeCloseTo(0.4, 9);
  });

  test('nobody answered: a list that is not closed, an empty one, or silent hops only', () => {
    const unclosed = printed092([]);
    expect(() => JSON.parse(unclosed)).toThrow();
    expect(parseMtr(unclosed)).toMatchObject({ hops: [], notes: [expect.stringContaining('repaired')] });
    for (const text of [unclosed, printed096([]), printed096(hubs.slice(1, 2))]) {
      const r = reading(text);
      expect(r.ending).toEqual({ outcome: 'completed' });
      expect(r.metrics.filter(({ name, value }) => value !== null && name !== 'hop.unanswered')).toEqual([]);
    }
  });
});

describe('what a version does not have', () => {
  const host = (version: string): ProbeHost => ({ tools: { mtr: version }, congestionControls: [], root: true });
  const input = { address: '192.0.2.1', interface: 'wan0', peerAddress: '192.0.2.66', localPort: 1, peer: null };
  test.each([
    ['mtr 0.87', false],
    ['mtr 0.92', false],
    ['mtr 0.93', true],
    ['mtr 0.96', true],
    ['mtr UNKNOWN', false],
  ])('%s: an interface is named %s, the address always', (version, named) => {
    const [phase] = traceByMtr.prepare({}).near(host(version), input);
    expect(phase?.argv.includes('-I')).toBe(named);
    expect(phase?.argv.join(' ')).toContain('-a 192.0.2.1');
  });

  test('a build without JSON is said to be none that can do this', () => {
    expect(reading('', "mtr: unrecognized option '--json'\n", 1).ending).toMatchObject({
      outcome: 'refused',
      reason: 'tool-too-old',
      detail: expect.stringContaining('mtr-tiny'),
    });
  });
});
