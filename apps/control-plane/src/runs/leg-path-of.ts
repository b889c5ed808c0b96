import { type SharedLink as Link, type Path, SharedLink } from '@plumbline/model';
import { z } from 'zod';
import type { FieldError } from '../http/pointers.js';
import { findEnds, type KnownProbe } from '../paths/path-ends.js';
import type { LegPath } from '../persistence/leg-path.js';

export const SharedLinks = z.array(SharedLink);

/** What of a path, its probes and its sites a leg keeps; or why it cannot be run. */
export function legPathOf(
  path: Path,
  probes: readonly KnownProbe[],
  linksOfSite: ReadonlyMap<string, readonly Link[]>,
): LegPath | { errors: readonly FieldError[] } {
  const found = findEnds(path, probes);
  if ('errors' in found) return found;
  const { source, destination } = found.ends;
  const sites = [...new Set([source.probe.site, destination.probe.site])];
  return {
    path,
    source: { ...source.endpoint, endpoint: source.endpoint.name, probe: source.probe.name, site: source.probe.site },
    destination: {
      ...destination.endpoint,
      endpoint: destination.endpoint.name,
      probe: destination.probe.name,
      site: destination.probe.site,
    },
    sharedLinks: mergeLinks([...(path.sharedLinks ?? []), ...sites.flatMap((site) => linksOfSite.get(site) ?? [])]),
  };
}

/** A link named twice counts once, with its smallest capacity (a bare name: 1). */
export function mergeLinks(links: readonly Link[]): Link[] {
  const capacities = new Map<string, number>();
  for (const link of links) {
    const { name, capacity } = typeof link === 'string' ? { name: link, capacity: 1 } : link;
    capacities.set(name, Math.min(capacity, capacities.get(name) ?? capacity));
  }
  return [...capacities].map(([name, capacity]) => ({ name, capacity }));
}
