/**
 * Moves labels apart so that none is nearer than `gap` to the next, each as near to its wish as that allows, all between
 * `min` and `max` (if they fit at all). Returns positions in the order given.
 */
export function spreadLabels(wishes: readonly number[], gap: number, min: number, max: number): number[] {
  const order = wishes.map((wish, index) => ({ wish, index })).sort((a, b) => a.wish - b.wish || a.index - b.index);
  const placed: number[] = [];
  // Downwards, each at least a gap below the one above.
  for (const { wish } of order) placed.push(Math.max(wish, min, (placed.at(-1) ?? -Infinity) + gap));
  // Then back upwards from the lower edge, for those that were pushed beyond it.
  let limit = max;
  for (let i = placed.length - 1; i >= 0; i--) {
    placed[i] = Math.min(placed[i] ?? limit, limit);
    limit = (placed[i] ?? limit) - gap;
  }
  const result = new Array<number>(wishes.length).fill(min);
  order.forEach(({ index }, i) => {
    result[index] = placed[i] ?? min;
  });
  return result;
}

/** About how wide a text is in a sans-serif font of that size, in pixels: a little too much rather than too little. */
export function textWidth(text: string, fontPx: number): number {
  return [...text].length * fontPx * 0.62;
}

/** A straight piece of a drawn line, in pixels. */
export type Segment = readonly [from: readonly [number, number], to: readonly [number, number]];

export interface LabelBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Of several boxes the first that the fewest lines cross: where a label is read best. */
export function clearestBox(boxes: readonly [LabelBox, ...LabelBox[]], lines: readonly Segment[]): LabelBox {
  const counts = boxes.map((box) => lines.filter((segment) => crosses(segment, box)).length);
  const best = counts.indexOf(Math.min(...counts));
  return boxes[best] ?? boxes[0];
}

function crosses([[x1, y1], [x2, y2]]: Segment, box: LabelBox): boolean {
  // The part of the segment above the box, then whether its heights meet the box's.
  const [from, to] = [Math.max(Math.min(x1, x2), box.x), Math.min(Math.max(x1, x2), box.x + box.width)];
  if (from > to) return false;
  const at = (x: number) => (x1 === x2 ? y1 : y1 + ((x - x1) / (x2 - x1)) * (y2 - y1));
  const ys = x1 === x2 ? [y1, y2] : [at(from), at(to)];
  return Math.min(...ys) <= box.y + box.height && Math.max(...ys) >= box.y;
}
