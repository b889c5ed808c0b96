/** Probability that a standard normal variable is at least `z` away from 0 on either side. */
export function normalTwoSided(z: number): number {
  return erfc(Math.abs(z) / Math.SQRT2);
}

/** The z for which `normalTwoSided(z)` is the probability given, by bisection. */
export function normalQuantileTwoSided(probability: number): number {
  let [low, high] = [0, 40];
  // Ends: 100 halvings of 40 leave less than the last bit of a double.
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (normalTwoSided(middle) > probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The complementary error function for x >= 0, to about 14 digits (NIST DLMF 7.6.1 and 7.9.1). */
function erfc(x: number): number {
  return x < 2.5 ? 1 - erfSeries(x) : erfcFraction(x);
}

function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  // Ends: below 2.5 the terms fall under the last bit after about 40 rounds.
  for (let n = 1; n < 200 && Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

function erfcFraction(x: number): number {
  // From the inside out; 120 levels are more than enough above 2.5.
  let tail = 0;
  for (let k = 120; k >= 1; k--) tail = k / 2 / (x + tail);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + tail);
}
