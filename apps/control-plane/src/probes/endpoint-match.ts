import { isIPv6 } from 'node:net';
import type { Endpoint } from '@plumbline/model';
import type { FieldError } from '../http/pointers.js';

/**
 * Compares the endpoints of a request with the probe's own, which are the authority.
 * @returns the probe's own of the names asked for (they also know the interface), or what differs
 */
export function matchEndpoints(
  asked: readonly Endpoint[],
  own: readonly Endpoint[],
): { endpoints: Endpoint[]; errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const endpoints = asked.flatMap((endpoint, i) => {
    const its = own.find((o) => o.name === endpoint.name);
    const differ = (field: string, detail: string) => errors.push({ detail, pointer: `/endpoints/${i}/${field}` });
    if (!its)
      differ(
        'name',
        `the probe has no endpoint ${endpoint.name}; it has ${own.map((o) => o.name).join(', ') || 'none'}`,
      );
    else if (sameAddress(its.address) !== sameAddress(endpoint.address))
      differ('address', `the probe's own endpoint ${its.name} is ${its.address}`);
    else if (endpoint.interface !== undefined && endpoint.interface !== its.interface)
      differ(
        'interface',
        `the probe's own endpoint ${its.name} is on ${its.interface ?? 'no interface that it names'}`,
      );
    return its ? [its] : [];
  });
  return { endpoints, errors };
}

/** One spelling for each address (RFC 5952 for IPv6, which is how URLs print them). */
export const sameAddress = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname : address;
