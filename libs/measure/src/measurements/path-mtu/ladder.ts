/**
 * MTUs that are met: the plateaus of RFC 1191 section 7.1, and Ethernet less what tunnels take (WireGuard 1420, VXLAN
 * 1450, GRE 1476, PPPoE 1492); 100 tells whether echoes are answered at all.
 */
const MET = [100, 576, 1280, 1400, 1420, 1450, 1476, 1492, 1500, 2002, 4352, 8166, 8950, 9000, 17_914, 32_000, 65_535];
const MOST_SIZES = 16;

/** Sizes to try first: those that are met up to the ceiling, and the ceiling. */
export function firstSizesBytes(ceilingBytes: number): readonly number[] {
  const below = MET.filter((size) => size < ceilingBytes);
  return [
    ...below.slice(-(MOST_SIZES - 2)),
    ceilingBytes,
    ...(below[0] !== undefined && below.length > MOST_SIZES - 2 ? [below[0]] : []),
  ].sort((a, b) => a - b);
}

/**
 * Sizes between the largest that passed and the smallest that did not, evenly spread; none: nothing lies between. One less
 * than fit a spec, so that the size that passed can be tried again beside them.
 */
export function sizesBetween(passedBytes: number, refusedBytes: number): readonly number[] {
  const gap = refusedBytes - passedBytes - 1;
  if (gap <= 0) return [];
  const howMany = Math.min(gap, MOST_SIZES - 1);
  const sizes = Array.from(
    { length: howMany },
    (_, i) => passedBytes + Math.round(((i + 1) * (gap + 1)) / (howMany + 1)),
  );
  return [...new Set(sizes)].filter((size) => size > passedBytes && size < refusedBytes);
}
