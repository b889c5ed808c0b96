import { parseSampleArtifact } from '@plumbline/measure';
import type { SocketSample } from '@plumbline/model';
import { z } from 'zod';
import type { SeedPath } from './seed-path.js';

const Artifacts = z.object({
  items: z.array(z.looseObject({ name: z.string(), end: z.string(), stream: z.string() })),
});

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
/** Of their mean, as a share of it. */
function standardError(values: readonly number[]): number {
  const middle = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance / values.length) / middle;
}

/** What a forward attempt's sending socket had on its way, and how fast that is, from the readings that the run keeps. */
export interface Flight {
  readonly sampleCount: number;
  /** Mean bytes in flight over mean round trip. */
  readonly rateBps: number;
  /** Share of the rate by which so few readings scatter: one standard deviation. */
  readonly scatter: number;
}

/**
 * Works it out of the attempt's stored samples of `ss`, without the omitted part. Of iperf3's two sockets the data socket is the one
 * that sent more.
 * @param n of the attempt in the first step
 */
export async function flightOf(
  { product }: SeedPath,
  run: string,
  n: number,
  { omitS, durationS }: { readonly omitS: number; readonly durationS: number },
): Promise<Flight> {
  const attempt = `/v1/runs/${run}/legs/0/steps/0/attempts/${n}`;
  const { items } = Artifacts.parse(await product.must('GET', `${attempt}/artifacts`));
  const name = items.find(({ end, stream }) => end === 'near' && stream === 'samples')?.name;
  const { text } = await product.call('GET', `${attempt}/artifacts/${name}`);
  const { samples } = parseSampleArtifact(text, 'near');
  const sent = ({ bytesSent = 0 }: SocketSample) => bytesSent;
  const most = samples.reduce<SocketSample | undefined>((a, b) => (a && sent(a) > sent(b) ? a : b), undefined);
  const data = samples.filter(({ localPort }) => localPort === most?.localPort);
  const beginMs = (data[0]?.elapsedMs ?? 0) + omitS * 1000;
  const counted = data.filter(({ elapsedMs }) => elapsedMs >= beginMs && elapsedMs <= beginMs + durationS * 1000);
  const bytes = counted.flatMap(({ unackedSegments, mssBytes }) =>
    unackedSegments === undefined || mssBytes === undefined ? [] : [unackedSegments * mssBytes],
  );
  const rttsMs = counted.flatMap((sample) => sample.rttMs ?? []);
  return {
    sampleCount: bytes.length,
    rateBps: (mean(bytes) * 8) / (mean(rttsMs) / 1000),
    scatter: Math.hypot(standardError(bytes), standardError(rttsMs)),
  };
}
