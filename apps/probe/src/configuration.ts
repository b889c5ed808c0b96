import { type Ability, abilities as allAbilities } from '@plumbline/measure';
import { InterfaceName, IpAddress, Name, ProbeAddress, VERSION } from '@plumbline/model';
import { z } from 'zod';
import { isNeverAnEndpoint } from './host/addresses.js';
import { DEFAULT_PORTS, type PortRange } from './host/ports.js';

/** What `plumb probe` is told, as text, and what only tests set. */
export interface ProbeOptions {
  readonly name: string;
  readonly site: string;
  /** `host:port`, `[v6]:port` or `unix:/absolute/path` */
  readonly listen: string;
  /** `NAME=ADDRESS` or `NAME=ADDRESS@INTERFACE` */
  readonly endpoints: readonly string[];
  readonly dataDir: string;
  /** `LOW-HIGH`; default 5300-5999 */
  readonly portRange?: string;
  readonly logLevel?: string;
  readonly version?: string;
  readonly abilities?: readonly Ability[];
  /** How long a far server may take until it listens. Default 5000. */
  readonly readyMs?: number;
  /** How long a far server waits for its client. Default 10000. */
  readonly clientMs?: number;
  readonly now?: () => Date;
}

export interface ProbeEndpoint {
  readonly name: string;
  readonly address: string;
  readonly interface?: string;
}

export interface Configuration {
  readonly name: string;
  readonly site: string;
  readonly listen: string;
  readonly endpoints: readonly ProbeEndpoint[];
  readonly dataDir: string;
  readonly ports: PortRange;
  readonly logLevel: string;
  readonly version: string;
  readonly abilities: readonly Ability[];
  readonly readyMs: number;
  readonly clientMs: number;
  readonly now: () => Date;
}

/** @throws {Error} with a sentence that names the option and what is wrong with it */
export function readConfiguration(options: ProbeOptions): Configuration {
  return {
    name: check('--name', Name, options.name),
    site: check('--site', Name, options.site),
    listen: check('--listen', ProbeAddress, options.listen),
    endpoints: readEndpoints(options.endpoints),
    dataDir: check('--data-dir', z.string().min(1), options.dataDir),
    ports: options.portRange === undefined ? DEFAULT_PORTS : readPortRange(options.portRange),
    logLevel: check('--log-level', z.enum(['silent', 'error', 'warn', 'info', 'debug']), options.logLevel ?? 'info'),
    version: options.version ?? VERSION,
    abilities: options.abilities ?? allAbilities,
    readyMs: options.readyMs ?? 5000,
    clientMs: options.clientMs ?? 10_000,
    now: options.now ?? (() => new Date()),
  };
}

function readEndpoints(texts: readonly string[]): ProbeEndpoint[] {
  const endpoints = texts.map(readEndpoint);
  if (endpoints.length === 0) throw new Error('--endpoint is needed at least once: --endpoint NAME=ADDRESS');
  const twice = endpoints.find((one, i) => endpoints.findIndex((other) => other.name === one.name) !== i);
  if (twice) throw new Error(`--endpoint ${twice.name} is given twice`);
  return endpoints;
}

/** `NAME=ADDRESS` or `NAME=ADDRESS@INTERFACE`. @throws {Error} with a sentence */
export function readEndpoint(text: string): ProbeEndpoint {
  const match = /^([^=]*)=([^@]*)(?:@(.*))?$/.exec(text);
  if (!match) throw new Error(`--endpoint ${text}: write NAME=ADDRESS or NAME=ADDRESS@INTERFACE`);
  const option = `--endpoint ${text}`;
  const named = { name: check(option, Name, match[1]), address: check(option, IpAddress, match[2]) };
  if (isNeverAnEndpoint(named.address))
    throw new Error(
      `${option}: ${named.address} stands for no single host; name an address that this host has (ip address)`,
    );
  return match[3] === undefined ? named : { ...named, interface: check(option, InterfaceName, match[3]) };
}

/** @throws {Error} with a sentence */
export function readPortRange(text: string): PortRange {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
  const [low, high] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || low < 1024 || high > 65_535 || high - low < 9)
    throw new Error(`--port-range ${text}: write LOW-HIGH, at least ten ports between 1024 and 65535`);
  return { low, high };
}

function check<T>(option: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`${option}: ${parsed.error.issues[0]?.message ?? 'it cannot be read'}`);
}
