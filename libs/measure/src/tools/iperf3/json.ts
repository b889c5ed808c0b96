/** The JSON objects that stand in a text one after another, and the text around them. */
export interface FoundObjects {
  readonly objects: readonly string[];
  /** What stood before the first object: warnings, mostly. */
  readonly before: string;
  /** What stood after the last whole object; an object that is cut off is in here. */
  readonly rest: string;
}

/**
 * Finds top-level objects by counting braces outside strings. One for `-J`; one a line for --json-stream; several when a
 * server failed once and waited for its next client.
 */
export function findObjects(text: string): FoundObjects {
  const objects: string[] = [];
  const first = text.indexOf('{');
  if (first < 0) return { objects, before: text, rest: '' };
  let end = first;
  let start = first;
  let depth = 0;
  let inString = false;
  for (let i = first; i < text.length; i += 1) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i += 1;
      else if (c === '"') inString = false;
    } else if (c === '"' && depth > 0) inString = true;
    else if (c === '{') {
      if (depth === 0) start = i;
      depth += 1;
    } else if (c === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) {
        end = i + 1;
        objects.push(text.slice(start, end));
      }
    }
  }
  return { objects, before: text.slice(0, first), rest: text.slice(end) };
}

/** A string, or one of the words for no number that printf writes and JSON does not know. */
const STRING_OR_NAN = /"(?:[^"\\]|\\.)*"|-?\b(?:nan|inf(?:inity)?)\b/gi;

/** Parses one object; bare nan and inf outside strings become null. Undefined: it is no JSON. Of a key twice the last wins. */
export function parseObject(text: string): { value: unknown; repaired: boolean } | undefined {
  let repaired = false;
  const clean = text.replace(STRING_OR_NAN, (found) => {
    if (found.startsWith('"')) return found;
    repaired = true;
    return 'null';
  });
  try {
    return { value: JSON.parse(clean), repaired };
  } catch {
    return undefined;
  }
}
