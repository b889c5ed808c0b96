import type { Endpoint } from '@plumbline/model';
import { usage } from '../failure.js';

/** `NAME=ADDRESS` or `NAME=ADDRESS@INTERFACE`, the way a probe and its registration write an endpoint. @throws {Failure} usage */
export function endpoint(text: string): Endpoint {
  const match = /^([^=]+)=([^@]+)(?:@(.+))?$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined)
    throw usage(
      `"${text}" is no endpoint.`,
      '--endpoint NAME=ADDRESS, such as --endpoint lan=10.0.0.5 or lan=10.0.0.5@eth0',
    );
  return { name: match[1], address: match[2], ...(match[3] === undefined ? {} : { interface: match[3] }) };
}

export const endpointText = (e: Endpoint): string =>
  `${e.name}=${e.address}${e.interface === undefined ? '' : `@${e.interface}`}`;

/** `PROBE/ENDPOINT`. @throws {Failure} usage */
export function endpointRef(text: string, flag: string): { probe: string; endpoint: string } {
  const [probe, name, ...rest] = text.split('/');
  if (!probe || !name || rest.length > 0) throw usage(`"${text}" is no endpoint of a probe.`, `${flag} PROBE/ENDPOINT`);
  return { probe, endpoint: name };
}
