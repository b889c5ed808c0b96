import { type Ending, ended } from '@plumbline/model';
import { type AttemptOutput, defineAbility, type Reading } from '../../ability.js';
import {
  type ReachabilityResult,
  type ReachabilitySpec,
  reachability,
  reachabilityMetricsOf,
} from '../../measurements/reachability/index.js';
import { synArgv, synsTimeoutMs } from './argv.js';
import { type HpingOutput, parseHping, type SynError } from './parse.js';
import { endingOfSyns, refusesSyns } from './refuses.js';

/** Reads what a reachability attempt left behind. Never throws. */
export function readReachability(spec: ReachabilitySpec, output: AttemptOutput): Reading {
  const phase = output.phases.find(({ end, name }) => end === 'near' && name === 'syn');
  const parsed = phase && parseHping(phase.stdout, phase.stderr);
  const result = parsed && resultOf(spec, parsed);
  const ending = endingOfSyns(output.ending, phase, parsed?.sent) ?? endingOfCounts(spec, result);
  // More answers than SYNs: these are no shares of anything, however it ended.
  const metrics = reachabilityMetricsOf(
    result && result.open + result.closed <= result.sent ? result : undefined,
    ending,
  );
  return {
    ending,
    metrics,
    result: result ?? null,
    notes: [...(parsed?.notes ?? []), ...(result ? remarks(result) : [])],
  };
}

/** Replies and errors together can be no more than what was sent: hping3 ends when that many of both have come. */
function resultOf({ port }: ReachabilitySpec, parsed: HpingOutput): ReachabilityResult | undefined {
  const { sent, replies, errors } = parsed;
  if (sent === undefined || sent <= 0) return undefined;
  const open = replies.filter(({ flags }) => flags.includes('S') && flags.includes('A')).length;
  const closed = replies.filter(({ flags }) => flags.includes('R')).length;
  const rejected = Math.max(0, Math.min(errors.length, sent - open - closed));
  const rttsMs = replies.flatMap(({ rttMs }) => rttMs ?? []);
  return { tool: 'hping3', port, sent, open, closed, rejected, rttsMs, errors: countsOf(errors) };
}

export function countsOf(errors: readonly SynError[]): { from: string; text: string; count: number }[] {
  const counts = new Map<string, { from: string; text: string; count: number }>();
  for (const { from, text } of errors) {
    const known = counts.get(`${from} ${text}`);
    counts.set(`${from} ${text}`, { from, text, count: (known?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

function endingOfCounts(spec: ReachabilitySpec, result: ReachabilityResult | undefined): Ending {
  if (!result) return ended('output-unreadable', 'hping3 says that it sent nothing.');
  const { sent, open, closed, rejected } = result;
  if (sent > spec.count || open + closed > sent)
    return ended(
      'output-unreadable',
      `hping3 says that it sent ${sent} of ${spec.count}; its lines show ${open + closed} answers.`,
    );
  // It ends early once as many errors and answers have come as were asked for; then each SYN has had its word.
  if (sent < spec.count && open + closed + rejected < sent)
    return ended('interrupted', `hping3 sent ${sent} of ${spec.count} SYNs.`);
  return { outcome: 'completed' };
}

function remarks({ port, sent, open, closed, rejected, errors }: ReachabilityResult): string[] {
  const silent = sent - open - closed - rejected;
  const words = [
    [open, 'open'],
    [closed, 'closed (RST)'],
    [silent, 'unanswered: filtered, or the host is down'],
  ] as const;
  const parts = words.filter(([count]) => count > 0).map(([count, what]) => `${count} of ${sent} ${what}`);
  return [
    ...(parts.length > 0 ? [`port ${port}: ${parts.join(', ')}`] : []),
    ...errors.map(({ from, text, count }) => `${count} times from ${from}: ${text}`),
    ...(rejected > 0 && silent > 0 ? ['hosts limit their ICMP errors: the unanswered may have been rejected too'] : []),
  ];
}

export const reachabilityByHping3 = defineAbility(reachability, {
  tool: 'hping3',
  refuses: refusesSyns,
  near: (spec, _host, input) => [
    {
      name: 'syn',
      tool: 'hping3',
      argv: synArgv(spec, input),
      timeoutMs: synsTimeoutMs(spec),
      // hping3 ends with 1 where nobody answered: a filtered port is no failure.
      optional: true,
    },
  ],
  read: readReachability,
  longestDurationMs: (spec) => synsTimeoutMs(spec) + 2_000,
});
