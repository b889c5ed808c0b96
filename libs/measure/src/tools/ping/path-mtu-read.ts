import { type Ending, ended } from '@plumbline/model';
import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import {
  type PathMtuResult,
  type PathMtuSpec,
  pathMtuMetricsOf,
  pathMtuVerdict,
  type TriedSize,
} from '../../measurements/path-mtu/index.js';
import { parseTracepath, type TracepathOutput } from '../tracepath/parse.js';
import { parsePing } from './parse.js';
import { phaseOf } from './path-mtu-argv.js';

/** IPv4: `Frag needed and DF set (mtu = 1400)`; IPv6: `Packet too big: mtu=1400` (iputils ping.c, ping6_common.c). */
const TOO_BIG = /(?:Frag needed and DF set|Packet too big).*?mtu ?[=:] ?(\d+)/;
/** `local error: message too long, mtu=1400`, before 2019 with a capital, over IPv6 with a colon. */
const LOCAL = /local error: message too long, mtu ?[=:] ?(\d+)/i;

/** Reads what a path MTU attempt left behind. Never throws. */
export function readPathMtu(spec: PathMtuSpec, output: AttemptOutput): Reading {
  const phases = spec.sizesBytes.flatMap((sizeBytes) => {
    const phase = output.phases.find(({ end, name }) => end === 'near' && name === phaseOf(sizeBytes));
    return phase ? [{ sizeBytes, phase }] : [];
  });
  const sizes = phases.map(({ sizeBytes, phase }) => triedSize(sizeBytes, phase));
  const ending = endingOf(
    spec,
    output.ending,
    phases.map(({ phase }) => phase),
    sizes,
  );
  const tracepath = tracepathOf(output.phases.find(({ name }) => name === 'tracepath'));
  const result = sizes.length > 0 ? resultOf(sizes, tracepath) : undefined;
  const notes = result ? remarks(result) : [];
  return { ending, metrics: pathMtuMetricsOf(result, ending), result: result ?? null, notes };
}

function triedSize(sizeBytes: number, { stdout, stderr }: PhaseOutput): TriedSize {
  const parsed = parsePing(stdout);
  const signals = parsed.errors.flatMap(({ from, text }) => {
    const mtuBytes = mtuIn(TOO_BIG, text);
    return mtuBytes === undefined ? [] : [{ from, mtuBytes }];
  });
  const errors = parsed.errors.filter(({ text }) => !/Frag needed|Packet too big/.test(text));
  return {
    sizeBytes,
    sent: parsed.sent,
    replies: parsed.replies.length,
    signals,
    localMtuBytes: mtuIn(LOCAL, stderr),
    errors: errors.map(({ from, text }) => ({ from, text })),
  };
}

function mtuIn(pattern: RegExp, text: string): number | undefined {
  const value = Number(pattern.exec(text)?.[1] ?? Number.NaN);
  // A hop that names no MTU at all says 0 (RFC 1191 section 4).
  return Number.isSafeInteger(value) && value >= 68 && value <= 65_535 ? value : undefined;
}

/** Every size must have been tried: one that is missing could be the one that decides. */
function endingOf(
  spec: PathMtuSpec,
  seen: Ending,
  phases: readonly PhaseOutput[],
  sizes: readonly TriedSize[],
): Ending {
  if (seen.outcome !== 'completed' && seen.reason !== 'tool-failed') return seen;
  if (sizes.length === 0) return ended('output-empty');
  const complaint = phases
    .flatMap(({ stderr }) => stderr.split('\n'))
    .map((line) => line.trim())
    .find((line) => line !== '' && !LOCAL.test(line) && !/warning/i.test(line));
  if (complaint !== undefined && sizes.every(({ replies }) => replies === 0))
    return /unreachable|no route/i.test(complaint) ? ended('no-route', complaint) : ended('tool-failed', complaint);
  const tried = sizes.filter(({ sent, localMtuBytes }) => (sent ?? 0) > 0 || localMtuBytes !== undefined);
  if (tried.length < spec.sizesBytes.length)
    return ended('interrupted', `Only ${tried.length} of ${spec.sizesBytes.length} sizes were tried.`);
  return { outcome: 'completed' };
}

type TracepathSaid = NonNullable<PathMtuResult['tracepath']> & Pick<TracepathOutput, 'signals'>;

function tracepathOf(phase: PhaseOutput | undefined): TracepathSaid | undefined {
  if (!phase) return undefined;
  const { mtuBytes, signals, reached } = parseTracepath(phase.stdout);
  return { mtuBytes, from: signals.at(-1)?.from, reached, signals };
}

/**
 * tracepath's word counts where echoes are not answered but its own probes reach the end, and where the kernel repeats what
 * a hop had said to tracepath.
 */
function resultOf(sizes: readonly TriedSize[], tracepath: TracepathSaid | undefined): PathMtuResult {
  const found = pathMtuVerdict(sizes);
  const kept = tracepath && { mtuBytes: tracepath.mtuBytes, from: tracepath.from, reached: tracepath.reached };
  const all = { tool: 'ping', sizes: [...sizes], tracepath: kept };
  if (found.verdict === 'no-echo' && tracepath?.reached && tracepath.mtuBytes !== undefined) {
    const { mtuBytes, from } = tracepath;
    return { ...all, verdict: from === undefined ? 'local' : 'signalled', mtuBytes, hop: from };
  }
  const spoke = tracepath?.signals.find(({ mtuBytes }) => mtuBytes === found.mtuBytes);
  if (found.verdict === 'local' && spoke) return { ...all, ...found, verdict: 'signalled', hop: spoke.from };
  return { ...all, ...found };
}

/** What a reader of the numbers must know: who says so, and how sure it is. */
function remarks({ verdict, mtuBytes, refusedBytes, hop, tracepath, sizes }: PathMtuResult): string[] {
  const said: Record<typeof verdict, string> = {
    signalled: `${hop} says that packets above ${mtuBytes} bytes do not fit`,
    local: `this host's own kernel says that ${mtuBytes} bytes are the most: its interface, or what it remembers of the path`,
    ceiling: `every size got through: the path MTU is at least ${mtuBytes} bytes`,
    'black-hole': `packets of ${refusedBytes} bytes vanish and no hop says so, while ${mtuBytes} bytes get through`,
    'no-echo': 'not even small echoes are answered: they are filtered, or the far end is down',
    unreachable: 'the far end cannot be reached',
  };
  const errors = [...new Set(sizes.flatMap((size) => size.errors.map(({ from, text }) => `${from}: ${text}`)))];
  const other =
    tracepath?.reached && tracepath.mtuBytes !== undefined && tracepath.mtuBytes !== mtuBytes
      ? [`tracepath, a second method, says ${tracepath.mtuBytes} bytes`]
      : [];
  return [said[verdict], ...errors, ...other];
}
