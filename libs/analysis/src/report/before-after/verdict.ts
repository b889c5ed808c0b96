import { formatBytes, formatCount, formatMs, formatRate, formatRatio, formatShare } from '../format.js';
import { exceedsLink, type LinkFacts, quotient, type SideFacts } from './facts.js';
import type { BeforeAfterInput, SideData } from './input.js';

export type ReportOutcome = 'improved' | 'unchanged' | 'worse' | 'before-missing' | 'after-missing' | 'both-missing';

export interface ReportVerdict {
  outcome: ReportOutcome;
  /** One sentence: what happened. */
  headline: string;
  /** Why, as far as the numbers show it, and what else has to be known. Sentences. */
  because: string[];
  /** After / before; null when a side is missing or nothing was carried before. */
  ratio: number | null;
}

/** Two runs closer than this are called the same (METHODS.md, section E: the default margin). */
export const MARGIN_RATIO = 0.03;

export interface Sides {
  before: SideFacts;
  after: SideFacts;
  link: LinkFacts | null;
}

/** The verdict in plain words, from the numbers alone. Every branch has its own sentence. */
export function verdictOf(input: BeforeAfterInput, sides: Sides): ReportVerdict {
  const outcome = outcomeOf(input);
  const ratio = quotient(input.after.throughputBps, input.before.throughputBps);
  const headline = headlineOf(input, outcome, ratio);
  const causes = input.loopback ? [LOOPBACK] : causesOf(input, outcome, sides);
  return { outcome, headline, ratio, because: [...causes, ...differences(input)] };
}

const LOOPBACK =
  'Both ends are on one host: loopback has no delay, no rate limit and no loss. This shows that the tools, the samples and ' +
  'the report work here and what this host can copy; it cannot show what a window, loss or distance does to a flow on a real path.';

function outcomeOf({ before, after }: BeforeAfterInput): ReportOutcome {
  const [b, a] = [before.throughputBps, after.throughputBps];
  if (b === null || a === null) return b === a ? 'both-missing' : b === null ? 'before-missing' : 'after-missing';
  if (Math.abs(a - b) <= MARGIN_RATIO * b) return 'unchanged';
  return a > b ? 'improved' : 'worse';
}

function headlineOf(input: BeforeAfterInput, outcome: ReportOutcome, ratio: number | null): string {
  const [b, a] = [formatRate(input.before.throughputBps), formatRate(input.after.throughputBps)];
  const after = `${input.loopback ? 'On loopback, after' : 'After'} ${changeOf(input)}`;
  const times = ratio === null ? '' : ` (${formatRatio(ratio)})`;
  switch (outcome) {
    case 'improved':
      return `${after}, one flow went from ${b} to ${a}${times}.`;
    case 'worse':
      return `${after}, one flow got less: down from ${b} to ${a}${times}.`;
    case 'unchanged':
      return `${after}, one flow got what it got before: ${b}, then ${a} (within ${formatShare(MARGIN_RATIO)}).`;
    case 'before-missing':
      return `No comparison: the run before the change has no throughput (${why(input.before)}). After it, one flow got ${a}.`;
    case 'after-missing':
      return `No comparison: the run after the change has no throughput (${why(input.after)}). Before it, one flow got ${b}.`;
    case 'both-missing':
      return `No comparison: neither run has a throughput (before: ${why(input.before)}; after: ${why(input.after)}).`;
  }
}

const why = (side: SideData): string => side.reasons.throughputBps ?? 'no reason was recorded';

/** "the change", or what the two snapshots show that it was. */
function changeOf({ before, after }: BeforeAfterInput): string {
  const [b, a] = [before.tcpRmemMaxBytes, after.tcpRmemMaxBytes];
  if (b === null || a === null || a === b) return 'the change';
  return a > b ? "the receiver's window limit was raised" : "the receiver's window limit was lowered";
}

function causesOf(input: BeforeAfterInput, outcome: ReportOutcome, { before, after, link }: Sides): string[] {
  const same = before.limit === after.limit && before.limit !== 'inconclusive';
  const sentences: string[] = [];
  if (input.before.throughputBps !== null && !(same && outcome === 'unchanged'))
    sentences.push(limitSentence('Before', input.before, before, link));
  if (input.after.throughputBps !== null)
    sentences.push(limitSentence(same ? 'Still' : 'Now', input.after, after, link));
  if (outcome === 'unchanged' && same && after.limit === 'receive-window-limited') sentences.push(unusedLimit(input));
  if (outcome === 'worse') sentences.push(worsening(input));
  if (exceedsLink(before) || exceedsLink(after)) sentences.push(faster(link));
  return sentences.filter((s) => s !== '');
}

function limitSentence(
  when: 'Before' | 'Now' | 'Still',
  side: SideData,
  facts: SideFacts,
  link: LinkFacts | null,
): string {
  const was = when === 'Before';
  switch (facts.limit) {
    case 'link-limited':
      return `${when === 'Still' ? 'The link is still' : `${when}, the link ${was ? 'was' : 'is'}`} the limit: the flow ${was ? 'got' : 'gets'} ${formatShare(facts.throughputToTcpCeiling)} of the ${formatRate(link?.tcpCeilingBps)} that TCP can carry on it.`;
    case 'receive-window-limited':
      return `${when === 'Still' ? "The receiver's window still holds it" : `${when}, the receiver's window ${was ? 'held' : 'holds'} it`}: ${windowProof(side, facts, was)}.`;
    case 'send-buffer-limited':
      return `${when === 'Still' ? "The sender's own buffer still holds it" : `${when}, the sender's own buffer ${was ? 'held' : 'holds'} it`}: the kernel counted ${formatShare(side.limitedSendBuffer)} of its busy time as waiting for room in the send buffer (tcp_wmem).`;
    case 'inconclusive':
      return `What ${was ? 'held it before' : 'holds it now'} is not shown by these numbers${openQuestion(side, facts)}.`;
  }
}

function windowProof(side: SideData, facts: SideFacts, was: boolean): string {
  const counted =
    side.limitedReceiveWindow === null
      ? ''
      : `the kernel counted ${formatShare(side.limitedReceiveWindow)} of the sender's busy time as waiting for it`;
  if (facts.windowCeilingBps === null) return counted;
  const formula = `window / RTT = ${formatBytes(side.windowMaxBytes)} × 8 / ${formatMs(facts.rttMs)} = ${formatRate(facts.windowCeilingBps)}, and the flow ${was ? 'got' : 'gets'} ${formatShare(facts.throughputToWindowCeiling)} of that`;
  return counted ? `${formula}; ${counted}` : `${formula} (this kernel did not say how long it waited for the window)`;
}

function openQuestion(side: SideData, facts: SideFacts): string {
  const parts: string[] = [];
  if (facts.throughputToTcpCeiling !== null)
    parts.push(`the flow got ${formatShare(facts.throughputToTcpCeiling)} of what TCP can carry on the link`);
  if (facts.throughputToWindowCeiling !== null)
    parts.push(`${formatShare(facts.throughputToWindowCeiling)} of window / RTT`);
  if (side.limitedReceiveWindow !== null)
    parts.push(`${formatShare(side.limitedReceiveWindow)} of its busy time waiting for the receiver's window`);
  if (side.retransmits !== null && side.retransmits > 0)
    parts.push(`${formatCount(side.retransmits)} segments retransmitted`);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

function unusedLimit(input: BeforeAfterInput): string {
  const [b, a] = [input.before, input.after];
  if (b.tcpRmemMaxBytes === null || a.tcpRmemMaxBytes === null || a.tcpRmemMaxBytes <= b.tcpRmemMaxBytes) return '';
  return `The new limit was not used: the largest window stayed at ${formatBytes(a.windowMaxBytes)}. It holds for new connections only, and not for programs that set their own receive buffer.`;
}

function worsening({ before, after }: BeforeAfterInput): string {
  const more =
    before.retransmits !== null && after.retransmits !== null && after.retransmits > before.retransmits
      ? `Retransmitted segments went from ${formatCount(before.retransmits)} to ${formatCount(after.retransmits)}. `
      : '';
  return `${more}Undo the change, or repeat both runs first: one run a side cannot rule out chance.`;
}

const faster = (link: LinkFacts | null): string =>
  `The flow got more than the ${formatRate(link?.tcpCeilingBps)} that TCP can carry at ${formatRate(link?.rateBps)}: the path's rate is not what was written down.`;

/** What else moved between the runs, said loudly: then the change is not the only possible cause. */
function differences({ before, after }: BeforeAfterInput): string[] {
  const found: string[] = [];
  const compare = (what: string, b: string | null | undefined, a: string | null | undefined) => {
    if (b && a && b !== a) found.push(`${what} (${b}, then ${a})`);
  };
  compare('congestion control', before.congestionControl, after.congestionControl);
  compare('kernel', before.kernel, after.kernel);
  for (const tool of Object.keys(before.tools)) compare(tool, before.tools[tool], after.tools[tool]);
  return found.length === 0
    ? []
    : [
        `The runs also differ in ${found.join(', ')}. Unless that is what was changed, the change may not be the only cause.`,
      ];
}
