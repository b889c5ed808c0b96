import { z } from 'zod';

/** Name of a site, probe, endpoint, path or plan: safe in a URL, a file name and an argv (never starts with `-` or `.`). */
export const Name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
    'a name has 1 to 63 letters, digits, dots, dashes or underscores and starts with a letter or digit',
  );

/** Linux interface name: at most 15 bytes, no leading `-`, nothing a shell or an option parser could read as something else. */
export const InterfaceName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.@:-]{0,14}$/,
    'an interface name has 1 to 15 letters, digits or _.@:- and starts with a letter or digit',
  );

/** An IPv4 or IPv6 literal. Endpoints are never host names: what is measured must not depend on a resolver. */
export const IpAddress = z.union([z.ipv4(), z.ipv6()], { error: 'an IPv4 or IPv6 address, not a host name' });

export const Port = z.int().min(1).max(65535);

/** Where a probe listens: `host:port`, `[v6]:port`, or `unix:/absolute/path`. */
export const ProbeAddress = z.string().superRefine((text, context) => {
  const problem = probeAddressProblem(text);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

export type ParsedProbeAddress = { kind: 'tcp'; host: string; port: number } | { kind: 'unix'; path: string };

/**
 * Reads a probe address.
 * @throws {RangeError} with a sentence that says what is wrong with the text.
 */
export function parseProbeAddress(text: string): ParsedProbeAddress {
  const problem = probeAddressProblem(text);
  if (problem) throw new RangeError(problem);
  if (text.startsWith('unix:')) return { kind: 'unix', path: text.slice('unix:'.length) };
  const colon = text.lastIndexOf(':');
  return { kind: 'tcp', host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}

const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)$/;

function probeAddressProblem(text: string): string | undefined {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length);
    if (!path.startsWith('/')) return 'unix: needs an absolute path';
    if (/[\0\n]/.test(path)) return 'the socket path holds a control character';
    if (path.split('/').includes('..')) return 'the socket path must not contain ..';
    // sun_path holds 108 bytes with its closing zero (unix(7)).
    return new TextEncoder().encode(path).length > 107 ? 'a socket path has at most 107 bytes' : undefined;
  }
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, Math.max(colon, 0));
  const port = text.slice(colon + 1);
  if (colon < 1 || !HOST.test(host)) return 'a probe address is host:port, [v6]:port or unix:/path';
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535)
    return 'the port is a number from 1 to 65535';
  return undefined;
}
