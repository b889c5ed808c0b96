import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clearestBox, spreadLabels } from './labels.js';
import { lineChart } from './line-chart.js';
import { linearScale, logScale } from './scale.js';
import { element, escapeText } from './svg.js';
import { linearTicks, logDomain, logTicks } from './ticks.js';

const finite = { noNaN: true, noDefaultInfinity: true } as const;

describe('ticks', () => {
  it('stand at round numbers', () => {
    expect(linearTicks(0, 200, 5)).toEqual([0, 50, 100, 150, 200]);
    expect(linearTicks(0, 0.3, 3)).toEqual([0, 0.1, 0.2, 0.3]);
    expect(linearTicks(0, 9.75, 8)).toEqual([0, 2, 4, 6, 8]);
    expect(linearTicks(5, 5, 4)).toEqual([5]);
    expect(logTicks(5e4, 5e6, 8)).toEqual([5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6]);
    expect(logTicks(1, 1e12, 5)).toEqual([1, 1e3, 1e6, 1e9, 1e12]);
    expect(logDomain(65_536, 3_145_728)).toEqual([5e4, 5e6]);
  });

  it('are never many more than asked for, and inside the range', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e15, ...finite }), fc.integer({ min: 2, max: 12 }), (max, wanted) => {
        const ticks = linearTicks(0, max, wanted);
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.length).toBeLessThanOrEqual(wanted * 1.5 + 2);
        expect(Math.max(...ticks)).toBeLessThanOrEqual(max * (1 + 1e-6));
      }),
    );
  });
});

describe('scales', () => {
  it('map ends to ends, and an empty span to its beginning', () => {
    const y = linearScale([0, 200], [300, 20]);
    expect([y(0), y(100), y(200)]).toEqual([300, 160, 20]);
    expect(linearScale([5, 5], [0, 10])(5)).toBe(0);
  });

  it('give equal ratios equal room on a logarithmic axis, and zero its lower end', () => {
    const y = logScale([1, 100], [0, 200]);
    expect(y(10)).toBeCloseTo(100, 9);
    expect(y(0)).toBe(0);
  });
});

describe('labels', () => {
  it('stay where they wish unless they would touch', () => {
    expect(spreadLabels([10, 100], 15, 0, 200)).toEqual([10, 100]);
    expect(spreadLabels([100, 98], 15, 0, 200)).toEqual([113, 98]);
    expect(spreadLabels([199, 199, 199], 15, 0, 200)).toEqual([170, 185, 200]);
  });

  it('never touch and never leave the picture while they fit', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -50, max: 350, ...finite }), { minLength: 1, maxLength: 8 }), (wishes) => {
        const places = spreadLabels(wishes, 16, 20, 280).toSorted((a, b) => a - b);
        places.slice(1).forEach((p, i) => {
          expect(p - (places[i] ?? 0)).toBeGreaterThanOrEqual(16 - 1e-9);
        });
        expect(places[0]).toBeGreaterThanOrEqual(20 - 1e-9);
        expect(places.at(-1)).toBeLessThanOrEqual(280 + 1e-9);
      }),
    );
  });

  it('go where no line runs through them', () => {
    const box = (x: number) => ({ x, y: 40, width: 20, height: 10 });
    const lines = [
      [
        [0, 45],
        [30, 45],
      ],
      [
        [40, 0],
        [40, 90],
      ],
    ] as const;
    expect(clearestBox([box(5), box(35), box(70)], lines)).toEqual(box(70));
  });
});

describe('markup', () => {
  it('escapes text and attributes', () => {
    expect(escapeText(`<a href="x">&'\n\u0000\u202e`)).toBe('&lt;a href=&quot;x&quot;&gt;&amp;&#39; \ufffd\ufffd');
    expect(element('g', { title: '"><script>', x: 1.234, y: undefined })).toBe(
      '<g title="&quot;&gt;&lt;script&gt;" x="1.2"/>',
    );
  });
});

describe('the line chart', () => {
  const chart = {
    id: 'c',
    title: 'T',
    description: 'D',
    unit: 'bit/s' as const,
    guides: [{ label: 'ceiling', value: 193e6 }],
    widthPx: 860,
    heightPx: 320,
    endLabels: true,
  };
  const series = (ys: number[]) => ({
    label: 'after',
    className: 'after main',
    fits: true,
    points: ys.map((y, x) => ({ x, y })),
  });

  it('is absent without points', () => {
    expect(lineChart({ ...chart, series: [] })).toBeNull();
    expect(lineChart({ ...chart, series: [series([])] })).toBeNull();
    expect(lineChart({ ...chart, series: [series([Number.NaN])] })).toBeNull();
  });

  it('keeps every point inside the picture and draws a single one as a dot', () => {
    const svg = lineChart({ ...chart, series: [series([0, 250e6, 100e6])] }) ?? '';
    for (const [, x, y] of svg.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)) {
      expect(Number(x)).toBeGreaterThanOrEqual(0);
      expect(Number(x)).toBeLessThanOrEqual(860);
      expect(Number(y)).toBeGreaterThanOrEqual(0);
      expect(Number(y)).toBeLessThanOrEqual(320);
    }
    expect(lineChart({ ...chart, series: [series([5])] })).toContain('<circle');
  });

  it('draws long series with at most about 400 points', () => {
    const svg = lineChart({ ...chart, series: [series(Array.from({ length: 5000 }, (_, i) => i))] }) ?? '';
    expect(svg.match(/[ML][\d.-]+ /g)?.length).toBeLessThanOrEqual(402);
  });

  it('says that an axis is logarithmic, and uses one only for sizes far apart', () => {
    const sizes = { ...chart, unit: 'B' as const, guides: [] };
    expect(lineChart({ ...sizes, series: [series([1e5]), series([1e7])] })).toContain('logarithmic scale');
    expect(lineChart({ ...sizes, series: [series([1e5]), series([2e5])] })).not.toContain('logarithmic scale');
  });
});
