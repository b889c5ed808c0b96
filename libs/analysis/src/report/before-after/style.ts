const LIGHT = `--paper:#fbfaf7;--card:#fff;--ink:#1c1b19;--soft:#5d5a54;--rule:#dedad2;--grid:#ece9e2;--code:#f1eee7;
--before:#b4480c;--after:#0b5cad;--guide:#3f3d39;--zone:#b4480c12;--good:#17633a;--bad:#a3201c;--even:#6b4e00`;
const DARK = `--paper:#16171a;--card:#1e2024;--ink:#ecebe8;--soft:#a9a69f;--rule:#393b41;--grid:#2b2d32;--code:#282a2f;
--before:#f79a5b;--after:#71b2f7;--guide:#d6d3cc;--zone:#f79a5b17;--good:#7fd3a0;--bad:#f58f8a;--even:#e6c25c`;

/** The report's style sheet: no font, picture or rule is loaded from anywhere. */
export const STYLE = `
:root{${LIGHT};color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{${DARK}}}
@media print{:root{${LIGHT};--paper:#fff}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%;print-color-adjust:exact;-webkit-print-color-adjust:exact}
main{max-width:60rem;margin:0 auto;padding:2.5rem 1.5rem 3rem}
h1{font-size:clamp(1.5rem,1.1rem + 2vw,2.3rem);line-height:1.2;letter-spacing:-.015em;margin:.5rem 0 0;text-wrap:balance}
h2{font-size:1.05rem;margin:0 0 .6rem}
h3{font-size:.95rem;margin:1.2rem 0 .4rem}
p{margin:0 0 .6rem;text-wrap:pretty}
code{font:.86em/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;background:var(--code);padding:.12em .35em;border-radius:4px;overflow-wrap:anywhere}
section,figure{margin:2.2rem 0 0}
.kicker{color:var(--soft);font-size:.9rem;margin:0 0 1rem;overflow-wrap:anywhere}
.badge{display:inline-block;margin:0;padding:.15rem .7rem;border:1.5px solid;border-radius:99px;font-weight:650;font-size:.9rem;color:var(--even)}
.badge.improved{color:var(--good)}.badge.worse{color:var(--bad)}
.bars{margin-top:1.6rem}
.bar p{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .7rem;margin:0 0 .2rem}
.bar b{font-weight:600;min-width:4.2rem}
.bar strong{font-size:1.45rem;font-variant-numeric:tabular-nums;letter-spacing:-.01em}
.bar.before strong{color:var(--before)}.bar.after strong{color:var(--after)}.bar strong.unknown{color:var(--soft)}
.bar span{color:var(--soft)}
.track{height:1.35rem;background:var(--grid);margin-bottom:.7rem}
.linked .track{border-right:3px solid var(--guide)}
.fill{height:100%}
.before .fill{background:var(--before)}.after .fill{background:var(--after)}
.scale{display:flex;justify-content:space-between;gap:1rem;color:var(--soft);font-size:.85rem;margin:-.35rem 0 0;text-align:right}
.why{max-width:46rem}
.change{margin-top:1rem}
.change b{display:block;font-size:.85rem;color:var(--soft);font-weight:600}
figure{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:1rem 1rem .6rem;break-inside:avoid}
.figures{display:grid;gap:1.2rem;margin-top:2.2rem}.figures figure{margin:0}
.chart{display:block;width:100%;height:auto;font:13px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow:visible}
.chart text{fill:var(--ink)}
.chart .tick{fill:var(--soft);font-size:12px;font-variant-numeric:tabular-nums}
.grid{stroke:var(--grid);stroke-width:1}.axis{stroke:var(--soft);stroke-width:1}
.zone{fill:var(--zone)}
.guide{stroke:var(--guide);stroke-width:1.5;stroke-dasharray:2 3}
.chart .guide-label,.chart .zone-label{paint-order:stroke;stroke:var(--card);stroke-width:4px;stroke-linejoin:round;font-size:12.5px}
.chart .zone-label{fill:var(--soft)}
.line{fill:none;stroke-width:2.4;stroke-linejoin:round;stroke-linecap:round}
.line.beside{stroke-width:1.4;stroke-dasharray:5 4;opacity:.85}
.line.before{stroke:var(--before)}.line.after{stroke:var(--after)}
.chart .end.before{fill:var(--before)}.chart .end.after{fill:var(--after)}
.chart .end.main{font-weight:650}
.narrow{display:none}
.legend{list-style:none;margin:.3rem 0 .4rem;padding:0;font-size:.85rem;display:grid;gap:.1rem}
.legend li::before{content:"";display:inline-block;width:1.6rem;margin-right:.5rem;vertical-align:middle;border-top:3px solid}
.legend li.beside::before{border-top:2px dashed}
.legend .before::before{color:var(--before)}.legend .after::before{color:var(--after)}
.empty{color:var(--soft)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.42rem .6rem;border-bottom:1px solid var(--rule);text-align:right;vertical-align:baseline}
th[scope=row]{text-align:left;font-weight:400;padding-left:0}
thead th{font-size:.85rem;color:var(--soft);font-weight:600;white-space:nowrap}thead th,thead td{border-bottom-color:var(--soft)}
tr.main th,tr.main td{font-weight:650}
.unknown{color:var(--soft)}td small{display:block;max-width:18rem;margin-left:auto;color:var(--soft);font-weight:400}
.notes ul{margin:0;padding-left:1.2rem;max-width:46rem}.notes li{margin:.25rem 0}
details{border-top:1px solid var(--rule);padding:.6rem 0}
summary{cursor:pointer;font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.5rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.commands{list-style:none;padding:0;margin:.4rem 0}.commands li{margin:.25rem 0;display:flex;gap:.6rem;align-items:baseline}
.end{color:var(--soft);font-size:.85rem;min-width:2rem}
footer{margin-top:2rem;border-top:1px solid var(--rule);padding-top:.8rem;color:var(--soft);font-size:.9rem}
@media (max-width:40rem){
main{padding:1.4rem 1rem 2rem}
.wide{display:none}.narrow{display:block}
figure{padding:.8rem .6rem .4rem}
thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
table,tbody,tr,th[scope=row],td{display:block;text-align:left;padding:0;border:0}
tbody tr{padding:.55rem 0;border-bottom:1px solid var(--rule);display:grid;grid-template-columns:1fr 1fr 1fr;gap:0 .6rem}
th[scope=row]{grid-column:1/-1;color:var(--soft);font-size:.9rem}
td small{margin-left:0}
td::before{content:attr(data-label);display:block;font-size:.72rem;color:var(--soft);font-weight:400}
td[data-label="After / before"]:empty{display:none}
dl{grid-template-columns:1fr}dd{margin-bottom:.3rem}
}
@media print{
body{font-size:11pt}main{max-width:none;padding:0}
.wide{display:block}.narrow{display:none}
tr,figure,.bars,.commands li{break-inside:avoid}h2,h3,summary{break-after:avoid}
}
`;
