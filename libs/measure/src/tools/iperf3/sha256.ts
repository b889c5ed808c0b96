/** First 32 bits of the fractional parts of the n-th roots of the first primes (FIPS 180-4 sections 4.2.2 and 5.3.3). */
function fractionsOfRoots(root: number, howMany: number): number[] {
  const fractions: number[] = [];
  // Ends: there are more than `howMany` primes.
  for (let candidate = 2; fractions.length < howMany; candidate += 1) {
    let prime = true;
    for (let d = 2; d * d <= candidate; d += 1) if (candidate % d === 0) prime = false;
    if (prime) fractions.push(Math.floor((candidate ** (1 / root) % 1) * 2 ** 32));
  }
  return fractions;
}

const K = fractionsOfRoots(3, 64);
const START = fractionsOfRoots(2, 8);
const rotate = (x: number, bits: number): number => (x >>> bits) | (x << (32 - bits));

/**
 * SHA-256 of a text's UTF-8 bytes, in hex (FIPS 180-4). For iperf3's file of authorized users, which wants it and is
 * made where no node module may be imported; not for anything that must be fast.
 */
export function sha256Hex(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  let state = START;
  for (let offset = 0; offset < padded.length; offset += 64) state = compress(state, view, offset);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function compress(state: readonly number[], view: DataView, offset: number): number[] {
  const w = Array.from({ length: 16 }, (_, i) => view.getUint32(offset + i * 4));
  for (let i = 16; i < 64; i += 1) {
    const [near, far] = [w[i - 15]!, w[i - 2]!];
    const s0 = rotate(near, 7) ^ rotate(near, 18) ^ (near >>> 3);
    const s1 = rotate(far, 17) ^ rotate(far, 19) ^ (far >>> 10);
    w.push((w[i - 16]! + s0 + w[i - 7]! + s1) | 0);
  }
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => (word + state[i]!) | 0);
}
