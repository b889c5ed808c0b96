/** Maps values of an axis to pixels. */
export type Scale = (value: number) => number;

export function linearScale([min, max]: readonly [number, number], [from, to]: readonly [number, number]): Scale {
  const span = max - min || 1;
  return (value) => from + ((value - min) / span) * (to - from);
}

/** Values below the axis (zero too) lie on its lower end: a logarithm has no zero. */
export function logScale([min, max]: readonly [number, number], range: readonly [number, number]): Scale {
  const inner = linearScale([Math.log(min), Math.log(max)], range);
  return (value) => inner(Math.log(Math.max(value, min)));
}
