import type { PathMtuResult, TriedSize } from './result.js';

type Finding = Pick<PathMtuResult, 'verdict' | 'mtuBytes' | 'refusedBytes' | 'hop'>;

/**
 * What the tried sizes say together. Read from the replies and errors of each, never from a summary: a hop's "too big"
 * counts as a reply in some tools. A smaller size that got no answer while a larger one did was lost, not refused.
 */
export function pathMtuVerdict(sizes: readonly TriedSize[]): Finding {
  const tried = sizes.toSorted((a, b) => a.sizeBytes - b.sizeBytes);
  const passed = tried.filter(({ replies }) => replies > 0).at(-1)?.sizeBytes;
  const failed = tried.filter(({ sizeBytes, replies }) => replies === 0 && sizeBytes > (passed ?? 0));
  const signal = smallest(tried.flatMap(({ signals }) => signals));
  const localBytes = smallest(
    tried.flatMap(({ localMtuBytes }) => (localMtuBytes ? [{ mtuBytes: localMtuBytes }] : [])),
  )?.mtuBytes;
  const saidBytes = Math.min(signal?.mtuBytes ?? Number.POSITIVE_INFINITY, localBytes ?? Number.POSITIVE_INFINITY);
  if (passed === undefined) return withoutReply(tried, signal, saidBytes);
  const refusedBytes = failed[0]?.sizeBytes;
  if (refusedBytes === undefined) return { verdict: 'ceiling', mtuBytes: passed };
  // Something that should fit what was said vanishes all the same: there is a second, silent limit.
  const silent = refusedBytes <= saidBytes || saidBytes < passed;
  if (silent) return { verdict: 'black-hole', mtuBytes: passed, refusedBytes };
  if (signal && signal.mtuBytes <= saidBytes)
    return { verdict: 'signalled', mtuBytes: signal.mtuBytes, refusedBytes, hop: signal.from };
  return { verdict: 'local', mtuBytes: saidBytes, refusedBytes };
}

/** Echoes are not answered: a hop's word is then all there is. */
function withoutReply(
  tried: readonly TriedSize[],
  signal: { from: string; mtuBytes: number } | undefined,
  saidBytes: number,
): Finding {
  const refusedBytes = tried.find(({ signals, localMtuBytes }) => signals.length > 0 || localMtuBytes)?.sizeBytes;
  if (tried.some(({ errors }) => errors.length > 0)) return { verdict: 'unreachable' };
  if (signal && signal.mtuBytes === saidBytes && refusedBytes !== undefined && refusedBytes > saidBytes)
    return { verdict: 'signalled', mtuBytes: saidBytes, refusedBytes, hop: signal.from };
  return { verdict: 'no-echo' };
}

const smallest = <T extends { readonly mtuBytes: number }>(all: readonly T[]): T | undefined =>
  all.reduce<T | undefined>(
    (least, one) => (least === undefined || one.mtuBytes < least.mtuBytes ? one : least),
    undefined,
  );
