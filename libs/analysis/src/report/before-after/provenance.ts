import type { Command } from '@plumbline/model';
import { escapeText as e } from '../chart/svg.js';
import { formatTime } from '../format.js';
import type { SideData } from './input.js';
import type { BeforeAfterModel } from './model.js';

/** Where every number comes from: runs, command lines, versions, sources. */
export function provenance(model: BeforeAfterModel): string {
  return `<section class="provenance"><h2>Where the numbers come from</h2>
<details open><summary>Runs, versions and command lines</summary>
${sideOf('Before', model.sides.before)}
${sideOf('After', model.sides.after)}
</details>
<details><summary>Source of each row</summary>
<dl>${model.rows.map((row) => `<dt>${e(row.label)}</dt><dd>${e(row.source)}</dd>`).join('')}</dl>
</details></section>`;
}

function sideOf(label: string, side: SideData): string {
  const tools = Object.entries(side.tools).map(([name, version]) => `${name} ${version}`);
  const facts: [string, string][] = [
    ['Run', side.runId],
    ['Started', formatTime(side.startedAt)],
    ['Kernel', side.kernel ?? `unknown: ${side.reasons.kernel ?? 'no reason was recorded'}`],
    ['Tools', tools.length > 0 ? tools.join(', ') : 'unknown'],
  ];
  const commands = side.commands.map(
    (c) => `<li><span class="end">${e(c.end)}</span> <code>${e(shown(c))}</code></li>`,
  );
  return `<h3>${label}</h3>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${e(value)}</dd>`).join('')}</dl>
${commands.length > 0 ? `<ul class="commands">${commands.join('')}</ul>` : '<p>No command lines were recorded.</p>'}`;
}

/** An argv as a shell would take it: quoted where a word is more than plain characters. */
function shown({ argv }: Pick<Command, 'argv'>): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`)).join(' ');
}
