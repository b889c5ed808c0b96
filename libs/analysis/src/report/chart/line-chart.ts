import { formatBytes, formatRate } from '../format.js';
import { clearestBox, type LabelBox, type Segment, spreadLabels, textWidth } from './labels.js';
import { linearScale, logScale, type Scale } from './scale.js';
import { element, escapeText, linePath } from './svg.js';
import { linearTicks, logDomain, logTicks, roundStep } from './ticks.js';

export interface ChartSeries {
  label: string;
  /** CSS classes: which side's colour, and the kind of line. */
  className: string;
  points: readonly { x: number; y: number }[];
  /** Whether the axis must hold every point (a line beside the subject may run into the lower edge). */
  fits: boolean;
}
export interface ChartGuide {
  label: string;
  value: number;
  /** Said under the line, with the room below it tinted. */
  below?: string;
}
export interface LineChart {
  /** Unique in its page. */
  id: string;
  title: string;
  description: string;
  unit: 'bit/s' | 'B';
  series: readonly ChartSeries[];
  guides: readonly ChartGuide[];
  widthPx: number;
  heightPx: number;
  /** Names at the lines' ends; without them the page needs a legend. */
  endLabels: boolean;
}

const FONT_PX = 13;
const MOST_POINTS = 400;
/** Beyond this no bit/s, byte or second is real, and coordinates would lose their digits. */
const LARGEST = 1e18;

/** A line chart as an SVG string, or null when no series has a point. Colours and widths come from the page's classes. */
export function lineChart(chart: LineChart): string | null {
  const series = chart.series.map((s) => ({ ...s, points: thinned(s.points) })).filter((s) => s.points.length > 0);
  if (series.length === 0) return null;
  const frame = frameOf(chart, series);
  const ids = [`${chart.id}-title`, `${chart.id}-description`];
  return element(
    'svg',
    {
      viewBox: `0 0 ${chart.widthPx} ${chart.heightPx}`,
      role: 'img',
      'aria-labelledby': ids.join(' '),
      class: 'chart',
    },
    element('title', { id: ids[0] }, escapeText(chart.title)),
    element('desc', { id: ids[1] }, escapeText(chart.description)),
    ...zones(chart, frame),
    ...axes(chart, frame),
    ...guideLines(chart, frame),
    ...series.map((s) => line(s, frame)),
    ...guideLabels(chart, series, frame),
    ...(chart.endLabels ? endLabels(series, frame) : []),
  );
}

interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  x: Scale;
  y: Scale;
  xTicks: number[];
  yTicks: number[];
}

function frameOf(chart: LineChart, series: readonly ChartSeries[]): Frame {
  const labelRoom = Math.max(...series.map((s) => textWidth(s.label, FONT_PX)));
  const [left, top] = [54, 30];
  const right = chart.widthPx - (chart.endLabels ? labelRoom + 16 : 14);
  const bottom = chart.heightPx - 34;
  const xMax = Math.max(...series.flatMap((s) => s.points.map((p) => p.x)), 1e-3);
  const { scale, ticks } = yAxis(chart, series, [bottom, top]);
  const xTicks = linearTicks(0, xMax, (right - left) / 70);
  return { left, right, top, bottom, x: linearScale([0, xMax], [left, right]), y: scale, xTicks, yTicks: ticks };
}

/** Linear from zero; logarithmic when the largest value would press the smallest subject into the ground. */
function yAxis(chart: LineChart, series: readonly ChartSeries[], range: [number, number]) {
  const guides = chart.guides.map((g) => g.value);
  const fitting = series.filter((s) => s.fits).map((s) => s.points.map((p) => p.y));
  const all = [...series.flatMap((s) => s.points.map((p) => p.y)), ...guides];
  const max = Math.max(...all, 1);
  const smallest = Math.min(...fitting.map((ys) => Math.max(...ys)), ...guides);
  const wanted = Math.abs(range[0] - range[1]) / 45;
  if (chart.unit === 'B' && smallest >= 1 && max / smallest > 5) {
    const domain = logDomain(Math.min(...fitting.flat().filter((y) => y >= 1), smallest), max);
    return { scale: logScale(domain, range), ticks: logTicks(domain[0], domain[1], wanted * 1.4) };
  }
  const step = roundStep(max * 1.06, wanted);
  const steps = Math.ceil((max * 1.06) / step);
  return { scale: linearScale([0, steps * step], range), ticks: linearTicks(0, steps * step, steps) };
}

function axes(chart: LineChart, f: Frame): string[] {
  const format = chart.unit === 'B' ? formatBytes : formatRate;
  const [, unit = ''] = format(f.yTicks.at(-1) ?? 0).split(' ');
  const isLog = f.yTicks[0] !== 0;
  const lines = f.yTicks.flatMap((tick) => {
    const text = isLog ? format(tick) : tickText(tick, unit, format);
    return [
      element('line', { class: 'grid', x1: f.left, x2: f.right, y1: f.y(tick), y2: f.y(tick) }),
      element('text', { class: 'tick', x: f.left - 7, y: f.y(tick) + 4, 'text-anchor': 'end' }, text),
    ];
  });
  const below = f.xTicks.map((tick) =>
    element('text', { class: 'tick', x: f.x(tick), y: f.bottom + 18, 'text-anchor': 'middle' }, String(tick)),
  );
  const unitText = isLog ? 'logarithmic scale' : unit;
  return [
    ...lines,
    element('line', { class: 'axis', x1: f.left, x2: f.right, y1: f.bottom, y2: f.bottom }),
    ...below,
    element('text', { class: 'tick', x: f.right, y: f.bottom + 32, 'text-anchor': 'end' }, 'seconds'),
    element(
      'text',
      { class: 'tick', x: isLog ? 4 : f.left - 7, y: 14, 'text-anchor': isLog ? 'start' : 'end' },
      unitText,
    ),
  ];
}

/** A tick in the unit of the axis: 0, 50, 100 beside "Mbit/s". */
function tickText(tick: number, unit: string, format: (v: number) => string): string {
  const [digits = '', own = ''] = format(tick).split(' ');
  if (tick === 0 || own === unit) return tick === 0 ? '0' : digits;
  // A tick below the unit (500 kbit/s on an axis in Mbit/s): a thousandth of its digits.
  return String(Number((Number(digits) / 1000).toPrecision(3)));
}

function line(series: ChartSeries, f: Frame): string {
  const points = series.points.map((p) => [f.x(p.x), f.y(p.y)] as const);
  const [only] = points;
  if (points.length === 1 && only)
    return element('circle', { class: `line ${series.className}`, cx: only[0], cy: only[1], r: 3 });
  return element('path', { class: `line ${series.className}`, d: linePath(points) });
}

function zones(chart: LineChart, f: Frame): string[] {
  return chart.guides
    .filter((g) => g.below !== undefined)
    .map((g) => {
      const y = f.y(g.value);
      return element('rect', {
        class: 'zone',
        x: f.left,
        y,
        width: f.right - f.left,
        height: Math.max(f.bottom - y, 0),
      });
    });
}

function guideLines(chart: LineChart, f: Frame): string[] {
  return chart.guides.map((g) =>
    element('line', { class: 'guide', x1: f.left, x2: f.right, y1: f.y(g.value), y2: f.y(g.value) }),
  );
}

/** Each label where the fewest lines cross it: over or under its line, anywhere along it. */
function guideLabels(chart: LineChart, series: readonly ChartSeries[], f: Frame): string[] {
  const taken = series.flatMap((s) => segments(s, f));
  const place = (text: string, className: string, tops: readonly [number, ...number[]]): string => {
    const width = textWidth(text, FONT_PX);
    const room = Math.max(f.right - f.left - width - 12, 0);
    const at = (share: number, y: number): LabelBox => ({
      x: f.left + 6 + room * share,
      y,
      width,
      height: FONT_PX + 3,
    });
    const boxes = tops.flatMap((top) => [0, 0.25, 0.5, 0.75, 1].map((share) => at(share, top)));
    const box = clearestBox([at(0, tops[0]), ...boxes], taken);
    // Later labels keep off this one: as often as it takes to outweigh every line.
    const middle: Segment = [
      [box.x, box.y + box.height / 2],
      [box.x + width, box.y + box.height / 2],
    ];
    taken.push(...new Array<Segment>(taken.length + 1).fill(middle));
    return element('text', { class: className, x: box.x, y: box.y + FONT_PX }, escapeText(text));
  };
  return chart.guides.flatMap((g) => {
    const y = f.y(g.value);
    const labels = [place(g.label, 'guide-label', [y - FONT_PX - 7, y + 3])];
    if (g.below !== undefined)
      labels.push(place(g.below, 'zone-label', [y + 3, y + FONT_PX + 7, Math.max(f.bottom - FONT_PX - 8, y + 3)]));
    return labels;
  });
}

function segments(series: ChartSeries, f: Frame): Segment[] {
  const points = series.points.map((p) => [f.x(p.x), f.y(p.y)] as const);
  return points.slice(1).map((point, i): Segment => [points[i] ?? point, point]);
}

function endLabels(series: readonly ChartSeries[], f: Frame): string[] {
  const wishes = series.map((s) => f.y(s.points.at(-1)?.y ?? 0));
  const places = spreadLabels(wishes, FONT_PX + 3, f.top, f.bottom - 2);
  return series.map((s, i) =>
    element('text', { class: `end ${s.className}`, x: f.right + 8, y: (places[i] ?? 0) + 4 }, escapeText(s.label)),
  );
}

/** Real points in order of time, every k-th of a long series: a screen has no more columns. */
function thinned(points: ChartSeries['points']): ChartSeries['points'] {
  const real = (value: number) => value >= 0 && value <= LARGEST;
  const good = points.filter((p) => real(p.x) && real(p.y));
  const every = Math.ceil(good.length / MOST_POINTS);
  return good.toSorted((a, b) => a.x - b.x).filter((_, i) => i % every === 0 || i === good.length - 1);
}
