import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleInput, exampleSide } from '../../test-support/examples.js';
import { renderHtml } from './html.js';
import { type BeforeAfterInput, emptySide, NULLABLE_FIELDS, type SideData } from './input.js';
import { beforeAfterModel } from './model.js';
import { renderText } from './text.js';

const html = (over: Partial<BeforeAfterInput> = {}) => renderHtml(beforeAfterModel(exampleInput(over)));
const text = (over: Partial<BeforeAfterInput> = {}) => renderText(beforeAfterModel(exampleInput(over)));

describe('the model', () => {
  it('holds the rows with values, ratios and the reason of every unknown', () => {
    const after = exampleSide({ windowMaxBytes: null, reasons: { windowMaxBytes: 'ss printed no snd_wnd' } });
    const { rows } = beforeAfterModel(exampleInput({ after }));
    const row = (key: string) => rows.find((r) => r.key === key);
    expect(row('windowCeiling')?.before.value).toBeCloseTo((174_080 * 8) / 0.0183, 0);
    expect(row('bdp')?.before.value).toBeCloseTo((200e6 * 0.0181) / 8, 3);
    expect(row('tcpCeiling')?.before.value).toBeCloseTo((200e6 * 1448) / 1500, 3);
    expect(row('throughput')?.ratio).toBeCloseTo(1, 9);
    expect(row('window')?.after).toEqual({ value: null, text: 'unknown', reason: 'ss printed no snd_wnd' });
    expect(row('windowCeiling')?.after.reason).toMatch(/number that it needs/);
    for (const r of rows)
      for (const cell of [r.before, r.after]) expect(cell.value === null).toBe(cell.reason !== undefined);
  });

  it('judges nothing against a link that nobody named, and says so', () => {
    const model = beforeAfterModel(exampleInput({ path: { name: 'p', rateLayer: 'ip' }, lab: undefined }));
    expect(model.link).toBeNull();
    expect(model.rows.map((r) => r.key)).not.toContain('bdp');
    expect(model.notes.join(' ')).toContain('no committed rate');
    expect(model.charts.flatMap((c) => c.guides)).toEqual([]);
  });

  it("takes the lab's rate where the path has no contract", () => {
    const model = beforeAfterModel(exampleInput({ path: { name: 'p', rateLayer: 'ethernet' } }));
    expect(model.link).toMatchObject({ rateBps: 200e6, layer: 'ip', source: 'lab' });
  });
});

describe('the terminal', () => {
  it('prints the verdict first, then an aligned table without escape codes', () => {
    const lines = text().split('\n');
    expect(lines[0]).toMatch(
      /^After the receiver's window limit was raised, one flow went from 75\.2 Mbit\/s to 191 Mbit\/s/,
    );
    const at = lines.findIndex((l) => l.includes('after / before'));
    const ratioEnds = lines.slice(at).filter((l) => l.endsWith('×'));
    expect(ratioEnds.length).toBeGreaterThan(3);
    expect(new Set(ratioEnds.map((l) => [...l].length)).size).toBe(1);
    expect(text()).not.toContain('\u001b');
    expect(Math.max(...lines.map((l) => [...l].length))).toBeLessThanOrEqual(100);
  });

  it('colours the verdict when asked', () => {
    const model = beforeAfterModel(exampleInput());
    expect(renderText(model, { colour: true }).startsWith('\u001b[1;32mAfter')).toBe(true);
  });

  it('says what is unknown, one line a reason', () => {
    const out = text({ after: emptySide('01X', '2026-11-30T16:02:38Z', 'the probe died') });
    expect(out.match(/Unknown after \(the probe died\)/g)).toHaveLength(1);
  });

  it('lets no control character through', () => {
    expect(text({ change: 'a\u001b[2Jb\u0007', notes: ['x\u009b31m'] })).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

describe('the HTML file', () => {
  it('is one file that loads nothing and runs nothing', () => {
    const page = html();
    expect(page).not.toMatch(/<script|<link|<img|<iframe|src=|href=|url\(|@import|https?:/i);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('prefers-color-scheme:dark');
    expect(page).toContain('@media print');
    expect(page.length).toBeLessThan(200_000);
  });

  it('is well formed: every element is closed in order, every id is unique', () => {
    for (const page of [html(), html({ after: emptySide('01X', 'now', 'why') }), html({ loopback: true })]) {
      expect(unclosed(page)).toEqual([]);
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('names every picture for those who cannot see it', () => {
    const page = html();
    for (const [, ids = ''] of page.matchAll(/aria-labelledby="([^"]+)"/g))
      for (const id of ids.split(' ')) expect(page).toContain(`id="${id}"`);
    expect(page.match(/<desc /g)?.length).toBe(page.match(/<svg /g)?.length);
  });

  it('shows every number of the table, the runs, the commands and the versions', () => {
    const model = beforeAfterModel(exampleInput());
    const page = renderHtml(model).replaceAll('\u00a0', ' ');
    for (const row of model.rows) for (const cell of [row.before, row.after]) expect(page).toContain(cell.text);
    for (const part of [
      '01JDZ3V7Q8BEFORE',
      '01JDZ3W9T2AFTER',
      'iperf3 -c 198.51.100.2 -p 20123',
      'iproute2-6.1.0',
      '6.18.5',
    ])
      expect(page).toContain(part);
  });

  it('escapes all text from outside', () => {
    const evil = `</title></style><script>alert("1")</script><img src=x onerror='a'>&`;
    const side = exampleSide({
      runId: evil,
      startedAt: evil,
      congestionControl: evil,
      kernel: evil,
      throughputBps: null,
      tools: { [evil]: evil },
      commands: [{ end: 'near', argv: [evil, 'plain'] }],
      reasons: { throughputBps: evil },
    });
    const page = html({
      title: evil,
      change: evil,
      generatedAt: evil,
      notes: [evil],
      before: side,
      path: { name: evil, rateLayer: 'ip' },
    });
    expect(page).not.toMatch(/<script|<img|onerror='/);
    expect(page.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(9);
    expect(unclosed(page)).toEqual([]);
  });

  it('draws no picture without samples, and says so', () => {
    const none = emptySide('01X', 'now', 'why');
    const page = html({ before: none, after: none });
    expect(page).not.toContain('<svg');
    expect(page).toContain('No samples were taken in either run');
  });
});

describe('any input', () => {
  const size = fc.oneof(fc.constant(null), fc.constant(0), fc.double({ min: 0, max: 1e12, noNaN: true }));
  const wild = fc.oneof(fc.double(), fc.double({ min: 0, max: 1e10, noNaN: true }));
  const points = fc.array(fc.record({ tS: wild, y: wild }), { maxLength: 12 });
  const side = fc
    .record({
      throughputBps: size,
      rttP50Ms: size,
      rttLoadedMeanMs: size,
      windowMaxBytes: size,
      limitedReceiveWindow: fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1, noNaN: true })),
      throughputSeries: points.map((list) => list.map(({ tS, y }) => ({ tS, bps: y }))),
      windowSeries: points.map((list) => list.map(({ tS, y }) => ({ tS, bytes: y }))),
    })
    .map((over): SideData => exampleSide(over));

  it('gives a report without NaN, Infinity or undefined', () => {
    fc.assert(
      fc.property(side, side, fc.boolean(), (before, after, loopback) => {
        const model = beforeAfterModel(exampleInput({ before, after, loopback }));
        for (const out of [renderText(model), renderHtml(model)])
          expect(/.{0,60}(NaN|Infinity|undefined|null).{0,60}/.exec(out)?.[0]).toBe(undefined);
        expect(JSON.parse(JSON.stringify(model))).toMatchObject({ schemaVersion: 1 });
      }),
      { numRuns: 80 },
    );
  });

  it('knows every field that may be null', () => {
    const empty = emptySide('r', 't', 'why');
    const nulls = Object.entries(empty).flatMap(([key, value]) => (value === null ? [key] : []));
    expect(nulls.sort()).toEqual([...NULLABLE_FIELDS].sort());
  });
});

/** Elements that are not closed in order. */
function unclosed(page: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, close, name = '', self] of page
    .replace(/<!doctype html>|<style>[\s\S]*?<\/style>/g, '')
    .matchAll(/<(\/?)([a-z1-6]+)[^>]*?(\/?)>/g)) {
    if (name === 'meta' || self === '/') continue;
    if (!close) open.push(name);
    else if (open.pop() !== name) wrong.push(name);
  }
  return [...wrong, ...open];
}
