import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Phase, PhaseOutput, ProbeHost } from '../../ability.js';
import { PathMtuResult, PathMtuSpec } from '../../measurements/path-mtu/index.js';
import { expectSound, mutated, outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { pathMtuByPing } from './path-mtu.js';
import { readPathMtu } from './path-mtu-read.js';

const folder = new URL('./path-mtu-fixtures/', import.meta.url);
const recording = (name: string): Recording => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
const sizeOf = ({ name }: PhaseOutput): number[] => (name.startsWith('size-') ? [Number(name.slice(5))] : []);
const specOf = ({ phases }: Recording): PathMtuSpec => PathMtuSpec.parse({ sizesBytes: phases.flatMap(sizeOf) });
/** ping ends with 1 where nothing came back; the phases are optional, so the probe says completed. */
const completed = { ending: { outcome: 'completed' as const } };
const reading = (name: string) => readPathMtu(specOf(recording(name)), outputOf(recording(name), completed));

describe('path MTU, read from the lines', () => {
  test.each([
    ['20221126-plain', 'ceiling', 1500, 'not-measured-here', 0, 'at least 1500'],
    ['20221126-signalled', 'signalled', 1400, 1420, 0, '192.0.2.2 says'],
    ['20221126-signalled-v6', 'signalled', 1400, 1420, 0, 'fd00:1::2 says'],
    ['20221126-black-hole', 'black-hole', 1400, 1420, 1, 'vanish and no hop says so'],
    ['20221126-local', 'local', 1450, 1476, 0, "this host's own kernel"],
    ['20221126-no-echo', 'no-echo', 'no-reply', 'no-reply', 'no-reply', 'filtered, or the far end is down'],
    ['20221126-unreachable', 'unreachable', 'no-reply', 'no-reply', 'no-reply', 'cannot be reached'],
  ])('%s: %s', (name, verdict, mtu, refused, blackHole, words) => {
    const r = reading(name);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(PathMtuResult.parse(r.result).verdict).toBe(verdict);
    expect([valueIn(r, 'path-mtu'), valueIn(r, 'path-mtu.refused'), valueIn(r, 'black-hole')]).toEqual([
      mtu,
      refused,
      blackHole,
    ]);
    expect(r.notes.join()).toContain(words);
    expectSound(r);
  });

  test('the unreachable far end is told by whom', () => {
    expect(reading('20221126-unreachable').notes).toContain('192.0.2.2: Packet filtered');
  });

  test('a hop that answers only tracepath names the MTU for us', () => {
    const { source, phases } = recording('20221126-no-echo');
    const stdout =
      ' 1:  192.0.2.2  4.6ms \n 2:  192.0.2.2  4.4ms pmtu 1400\n 2:  192.0.2.66  45.8ms reached\n     Resume: pmtu 1400 hops 2 back 2 \n';
    const spoken = {
      source,
      phases: [...phases.filter(({ name }) => name !== 'tracepath'), { ...phases[0]!, name: 'tracepath', stdout }],
    };
    const r = readPathMtu(specOf(spoken), outputOf(spoken, completed));
    expect(valueIn(r, 'path-mtu')).toBe(1400);
    expect(r.notes.join()).toContain('192.0.2.2 says');
  });

  test('a size that was not tried makes it partial', () => {
    const { source, phases } = recording('20221126-plain');
    const less = { source, phases: phases.filter(({ name }) => name !== 'size-1492') };
    expect(readPathMtu(specOf(recording('20221126-plain')), outputOf(less, completed)).ending).toMatchObject({
      outcome: 'partial',
      reason: 'interrupted',
    });
    const none = { source, phases: [] };
    expect(readPathMtu(specOf(recording('20221126-plain')), outputOf(none, completed)).ending).toMatchObject({
      reason: 'output-empty',
    });
  });

  test('no route is no black hole', () => {
    const { source, phases } = recording('20221126-no-echo');
    const lost = phases.map((phase) => ({ ...phase, stdout: '', stderr: 'ping: connect: Network is unreachable\n' }));
    const r = readPathMtu(specOf({ source, phases }), outputOf({ source, phases: lost }, completed));
    expect(r.ending).toMatchObject({ reason: 'no-route' });
    expectSound(r);
  });

  test.each(names)('%s, mutated', (name) => {
    const original = recording(name);
    const largest = original.phases.find(({ stdout }) => stdout.includes('1472(1500)')) ?? original.phases[0]!;
    fc.assert(
      fc.property(mutated(largest.stdout), mutated(largest.stderr), (stdout, stderr) => {
        const altered = withText(original, largest.name, { stdout, stderr });
        expectSound(readPathMtu(specOf(original), outputOf(altered, completed)));
      }),
      { numRuns: 40 },
    );
  });
});

describe('what is sent', () => {
  const host = (ping: string, more: Record<string, string> = {}): ProbeHost => ({
    tools: { ping, ...more },
    congestionControls: [],
  });
  const phasesOf = (ping: string, address: string, more = {}): readonly Phase[] =>
    pathMtuByPing.prepare({ sizesBytes: [100, 1400, 1500] }).near(host(ping, more), {
      address,
      peerAddress: address,
      localPort: 1,
      peer: null,
    });

  test('whole packets of the sizes, never fragmented, all at once, the smallest last', () => {
    const phases = phasesOf('ping from iputils 20221126', '192.0.2.1');
    expect(phases.map(({ name }) => name)).toEqual(['size-1500', 'size-1400', 'size-100']);
    expect(phases.map(({ argv }) => Number(argv[argv.indexOf('-s') + 1]))).toEqual([1472, 1372, 72]);
    expect(phases.every(({ argv }) => argv.join(' ').includes('-M do'))).toBe(true);
    expect(phases.map(({ beside }) => beside !== undefined)).toEqual([true, true, false]);
  });

  test('IPv6 headers are larger; newer ping leaves aside what the kernel remembers; tracepath beside', () => {
    const phases = phasesOf('ping from iputils 20240117', '2001:db8::1', {
      tracepath: 'tracepath from iputils 20240117',
    });
    expect(phases.map(({ name }) => name)).toEqual(['size-1500', 'size-1400', 'tracepath', 'size-100']);
    expect(phases[0]?.argv.join(' ')).toMatch(/-M probe .* -s 1452 /);
  });

  test('is refused without a ping that can forbid fragmentation', () => {
    const refusal = (tools: ProbeHost['tools']) =>
      pathMtuByPing.prepare({ sizesBytes: [1500] }).refuses('near', { tools, congestionControls: [] });
    expect(refusal({})).toMatchObject({ reason: 'tool-missing' });
    expect(refusal({ ping: 'BusyBox v1.36.1 multi-call binary' })).toMatchObject({
      reason: 'parameter-unsupported',
      detail: expect.stringContaining('iputils-ping'),
    });
    expect(refusal({ ping: 'ping from iputils 20221126' })).toBeUndefined();
  });
});
