import { type LineChart, lineChart } from '../chart/line-chart.js';
import { escapeText } from '../chart/svg.js';
import { formatRate, formatShare, formatTime } from '../format.js';
import type { BeforeAfterModel, ReportBar, ReportChart, ReportSeries } from './model.js';
import { provenance } from './provenance.js';
import type { ReportCell, ReportRow } from './rows.js';
import { STYLE } from './style.js';

/**
 * The report as one HTML file: opens offline, holds no script and loads nothing, light or dark as the reader's system is,
 * prints. All text from outside is escaped.
 */
export function renderHtml(model: BeforeAfterModel): string {
  const { verdict } = model;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${e(model.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<p class="kicker">${e(model.title)} <span aria-hidden="true">·</span> path ${e(model.pathName)}</p>
<p class="badge ${verdict.outcome}">${BADGES[verdict.outcome]}</p>
<h1>${e(verdict.headline)}</h1>
</header>
${bars(model)}
<section class="why" aria-label="Why">
${verdict.because.map((sentence) => `<p>${e(sentence)}</p>`).join('\n')}
<p class="change"><b>What was changed</b> <code>${e(model.change)}</code></p>
</section>
<div class="figures">
${model.charts.map(figure).join('\n')}
</div>
${table(model.rows)}
<section class="notes">
<h2>How far this goes</h2>
<ul>${model.notes.map((note) => `<li>${e(note)}</li>`).join('')}</ul>
</section>
${provenance(model)}
<footer><p>${e(model.madeBy)}, ${e(formatTime(model.generatedAt))}</p></footer>
</main>
</body>
</html>
`;
}

/** Escaped, with numbers kept beside their units when a line breaks. */
const e = (text: string): string =>
  escapeText(text).replace(/(\d) (?=(?:%|×|[kMGT]?(?:bit\/s|B)|ms|µs|s)(?![\w/]))/g, '$1\u00a0');

const BADGES: Readonly<Record<BeforeAfterModel['verdict']['outcome'], string>> = {
  improved: '▲ Improved',
  unchanged: '= Unchanged',
  worse: '▼ Worse',
  'before-missing': '? Before is missing',
  'after-missing': '? After is missing',
  'both-missing': '? Nothing measured',
};

/** The picture for the first five seconds: two bars under the mark of what the link can carry. */
function bars(model: BeforeAfterModel): string {
  const ceiling = model.link?.tcpCeilingBps ?? 0;
  const full = Math.max(ceiling, ...model.bars.map((b) => b.valueBps ?? 0));
  if (full === 0) return '';
  const percent = (bps: number) => `${Math.round((bps / full) * 1000) / 10}%`;
  const mark = model.link
    ? `<p class="scale"><span>0</span><span>${e(formatRate(ceiling))}: what TCP can carry on this link</span></p>`
    : '';
  return `<section class="bars${model.link ? ' linked' : ''}" aria-label="Throughput of one flow">
${model.bars.map((bar) => barOf(bar, model, percent)).join('\n')}
${mark}
</section>`;
}

function barOf(bar: ReportBar, model: BeforeAfterModel, percent: (bps: number) => string): string {
  const width = percent(bar.valueBps ?? 0);
  const ofTcp =
    model.link && bar.valueBps !== null
      ? `${formatShare(bar.valueBps / model.link.tcpCeilingBps)} of what TCP can carry`
      : '';
  const said = [ofTcp, bar.heldBy ?? ''].filter((part) => part !== '').join('; ');
  return `<div class="bar ${bar.side}"><p><b>${e(bar.label)}</b> <strong${bar.valueBps === null ? ' class="unknown"' : ''}>${e(bar.text)}</strong> <span>${e(said)}</span></p>
<div class="track"><div class="fill" style="width:${width}"></div></div></div>`;
}

function figure(chart: ReportChart): string {
  const wide = lineChart(drawing(chart, 'wide'));
  const narrow = lineChart(drawing(chart, 'narrow'));
  const picture =
    wide === null || narrow === null
      ? '<p class="empty">No samples were taken in either run, so there is nothing to draw.</p>'
      : `<div class="wide">${wide}</div><div class="narrow">${narrow}${legend(chart)}</div>`;
  return `<figure><figcaption><h2>${e(chart.title)}</h2></figcaption>${picture}</figure>`;
}

function drawing(chart: ReportChart, size: 'wide' | 'narrow'): LineChart {
  return {
    id: `${chart.id}-${size}`,
    title: chart.title,
    description: chart.description,
    unit: chart.unit,
    guides: chart.guides,
    series: chart.series.map((s) => ({
      label: s.label,
      className: classOf(s),
      points: s.points,
      fits: s.role === 'main',
    })),
    widthPx: size === 'wide' ? 860 : 360,
    heightPx: size === 'wide' ? 320 : 260,
    endLabels: size === 'wide',
  };
}

const classOf = (series: ReportSeries): string => `${series.side} ${series.role}`;

function legend(chart: ReportChart): string {
  const items = chart.series.filter((s) => s.points.length > 0);
  return `<ul class="legend">${items.map((s) => `<li class="${classOf(s)}">${e(s.label)}</li>`).join('')}</ul>`;
}

function table(rows: readonly ReportRow[]): string {
  const body = rows.map(
    (row) =>
      `<tr role="row"${row.main ? ' class="main"' : ''}><th role="rowheader" scope="row">${e(row.label)}</th>${cell(row.before, 'Before')}${cell(row.after, 'After')}<td role="cell" data-label="After / before">${e(row.ratioText)}</td></tr>`,
  );
  return `<section><h2>The numbers</h2>
<table role="table">
<thead role="rowgroup"><tr role="row"><td role="cell"></td><th role="columnheader" scope="col">Before</th><th role="columnheader" scope="col">After</th><th role="columnheader" scope="col">After / before</th></tr></thead>
<tbody role="rowgroup">${body.join('\n')}</tbody>
</table></section>`;
}

function cell(value: ReportCell, label: string): string {
  const text =
    value.reason === undefined
      ? e(value.text)
      : `<span class="unknown">${e(value.text)}</span><small>${e(value.reason)}</small>`;
  return `<td role="cell" data-label="${label}">${text}</td>`;
}
