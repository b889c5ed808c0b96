import type { SharedLink } from '@plumbline/model';
import { usage } from '../failure.js';

/** `NAME` or `NAME=CAPACITY`, as the control plane wants it. @throws {Failure} usage */
export function sharedLinks(texts: readonly string[]): SharedLink[] {
  return texts.map((text) => {
    const [name = '', capacity] = text.split('=');
    if (capacity === undefined) return name;
    if (!/^\d{1,2}$/.test(capacity)) throw usage(`The capacity of the shared link ${name} must be a number of legs.`);
    return { name, capacity: Number(capacity) };
  });
}

export const sharedLinkText = (link: SharedLink): string =>
  typeof link === 'string' ? link : `${link.name} (${link.capacity})`;

export const labelText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
