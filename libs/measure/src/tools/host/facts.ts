/** Texts by key, and a place to say what is not known. */
export interface Facts {
  readonly text: (key: string) => string | undefined;
  readonly keys: readonly string[];
  /** Notes that a fact was there but could not be understood. */
  readonly misread: (key: string, why: string) => undefined;
}

/** The number at the start of a text; undefined: there is none. */
export function numberOf(text: string | undefined): number | undefined {
  const digits = /^-?\d+(\.\d+)?/.exec(text ?? '')?.[0];
  const value = digits === undefined ? Number.NaN : Number(digits);
  return Number.isFinite(value) ? value : undefined;
}
