import { isIPv6 } from 'node:net';
import type { Endpoint, PathInput } from '@plumbline/model';
import type { FieldError } from '../http/pointers.js';

export interface KnownProbe {
  readonly name: string;
  readonly site: string;
  readonly endpoints: readonly Endpoint[];
}
type End = 'source' | 'destination';

/** What a path's ends are, or why they cannot be: unknown probes and endpoints, one end twice, two versions of IP. */
export function findEnds(
  path: Pick<PathInput, End>,
  probes: readonly KnownProbe[],
): { ends: Record<End, { probe: KnownProbe; endpoint: Endpoint }> } | { errors: FieldError[] } {
  const source = findEnd('source', path, probes);
  const destination = findEnd('destination', path, probes);
  const errors = [source, destination].flatMap((end) => ('error' in end ? [end.error] : []));
  if ('error' in source || 'error' in destination) return { errors };
  if (path.source.probe === path.destination.probe && path.source.endpoint === path.destination.endpoint)
    return { errors: [{ detail: 'a path leads from one endpoint to another', pointer: '/destination/endpoint' }] };
  const [from, to] = [source.endpoint.address, destination.endpoint.address];
  if (isIPv6(from) !== isIPv6(to))
    return { errors: [{ detail: `${from} and ${to} are of two versions of IP`, pointer: '/destination/endpoint' }] };
  return { ends: { source, destination } };
}

function findEnd(
  end: End,
  path: Pick<PathInput, End>,
  probes: readonly KnownProbe[],
): { probe: KnownProbe; endpoint: Endpoint } | { error: FieldError } {
  const wanted = path[end];
  const probe = probes.find((p) => p.name === wanted.probe);
  if (!probe) return { error: { detail: `there is no probe ${wanted.probe}`, pointer: `/${end}/probe` } };
  const endpoint = probe.endpoints.find((e) => e.name === wanted.endpoint);
  if (endpoint) return { probe, endpoint };
  const names = probe.endpoints.map((e) => e.name).join(', ');
  return { error: { detail: `the probe ${probe.name} has the endpoints ${names}`, pointer: `/${end}/endpoint` } };
}
