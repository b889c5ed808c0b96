const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
// Control characters are no characters of XML or HTML, and overrides of direction could make a name look like another.
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Text from outside, safe between tags and within quoted attributes of HTML and SVG. */
export function escapeText(text: string): string {
  return text
    .replace(/[\t\n\r]+/g, ' ')
    .replace(UNPRINTABLE, '\ufffd')
    .replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
}

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** One element; attribute values are escaped, children are markup already. */
export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? pixels(value) : escapeText(value ?? '')}"`)
    .join('');
  return children.length === 0 ? `<${name}${list}/>` : `<${name}${list}>${children.join('')}</${name}>`;
}

/** A coordinate with one decimal: what a screen can show. */
export const pixels = (value: number): string => String(Math.round(value * 10) / 10);

/** The `d` of a line through points. */
export function linePath(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${pixels(x)} ${pixels(y)}`).join('');
}
