/** A round step (1, 2 or 5 times a power of ten) that gives about `wanted` ticks over a span above 0. */
export function roundStep(span: number, wanted: number): number {
  const rough = span / Math.max(wanted, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10;
  return step * power;
}

/** Ticks at round numbers from `min` to `max`, both ends only where they are round. An empty span has one tick. */
export function linearTicks(min: number, max: number, wanted: number): number[] {
  if (!(max > min)) return [min];
  const step = roundStep(max - min, wanted);
  const first = Math.ceil(min / step - 1e-9);
  const last = Math.floor(max / step + 1e-9);
  // Multiplied, not added up: no 0.30000000000000004. Ends: last - first is at most 10 * wanted.
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Ticks of a logarithmic axis: 1, 2 and 5 times powers of ten where there is room, else fewer. */
export function logTicks(min: number, max: number, wanted: number): number[] {
  for (const mantissas of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = logSteps(min, max, mantissas);
    if (ticks.length <= wanted) return ticks;
  }
  const powers = logSteps(min, max, [1]);
  const every = Math.ceil(powers.length / Math.max(wanted, 1));
  return powers.filter((_, i) => i % every === 0);
}

/** The round numbers just outside a positive range: where a logarithmic axis begins and ends. */
export function logDomain(min: number, max: number): [number, number] {
  return [roundLog(min * 0.9, 'down'), roundLog(max * 1.1, 'up')];
}

function logSteps(min: number, max: number, mantissas: readonly number[]): number[] {
  const ticks: number[] = [];
  // Ends: the exponents of doubles span about 630.
  for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++)
    for (const m of mantissas) {
      const tick = Number(`${m}e${e}`);
      if (tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9)) ticks.push(tick);
    }
  return ticks;
}

function roundLog(value: number, way: 'up' | 'down'): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 5, 10].map((m) => m * power);
  return (way === 'up' ? steps.find((s) => s >= value) : steps.findLast((s) => s <= value)) ?? value;
}
