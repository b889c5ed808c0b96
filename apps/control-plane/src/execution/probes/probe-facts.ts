import { tools as knownTools, type ProbeHost } from '@plumbline/measure';
import { Endpoint, ended, VERSION, versionToInstall } from '@plumbline/model';
import type { InventoryResponse, Refusal } from '@plumbline/probe-rpc';
import type { ProbeReport } from '../../persistence/seams.js';

/** Which probe, and where. */
export interface ProbeTarget {
  readonly name: string;
  readonly address: string;
  readonly enrolled: boolean;
}

/** The probe's clock minus ours, and how wrong that may be: half the round trip (RFC 5905, 8: the delay bounds the error). */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly errorMs: number;
}

/** What a probe said of itself. */
export interface ProbeFacts {
  readonly report: ProbeReport;
  readonly host: ProbeHost;
  readonly clock: ClockOffset;
  readonly specKinds: readonly string[];
  readonly publicKey: string;
  readonly bootId: string;
}

/**
 * Reads an Inventory.
 * @param askedAtMs our clock when the call was sent, and when the answer came
 * @returns a refusal when the probe is another one, or its version does not fit
 */
export function readInventory(
  name: string,
  response: InventoryResponse,
  askedAtMs: number,
  answeredAtMs: number,
): ProbeFacts | { refusal: Refusal } {
  const install = versionToInstall(VERSION, response.version);
  if (install !== undefined) {
    const text = `The probe ${name} has version ${response.version || 'unknown'}; install ${install} there.`;
    return { refusal: ended('probe-version-incompatible', text) };
  }
  if (response.name !== name)
    return { refusal: ended('probe-identity-mismatch', `The probe at that address says that it is ${response.name}.`) };
  const tools = new Map(response.tools.map(({ tool, text, present }) => [tool, present ? text : null]));
  const clock = clockOffset(response.now, askedAtMs, answeredAtMs);
  return {
    report: {
      name: response.name,
      site: response.site,
      version: response.version,
      endpoints: response.endpoints.flatMap((sent) => {
        const endpoint = Endpoint.safeParse({ ...sent, interface: sent.interface || undefined });
        return endpoint.success ? [endpoint.data] : [];
      }),
      tools: Object.fromEntries([...tools].map(([tool, text]) => [tool, text === null ? null : versionIn(tool, text)])),
      congestionControls: response.congestionControls,
      defaultCongestionControl: response.defaultCongestionControl,
      clockOffsetMs: clock.offsetMs,
      enrolled: response.certificate !== '',
    },
    host: {
      tools: Object.fromEntries([...tools].flatMap(([tool, text]) => (text === null ? [] : [[tool, text]]))),
      congestionControls: response.congestionControls,
      root: response.root,
    },
    clock,
    specKinds: response.specKinds,
    publicKey: Buffer.from(response.publicKey).toString('base64'),
    bootId: response.bootId,
  };
}

/** Where the probe's clock stands against ours, as if its answer was written in the middle of the call. */
export function clockOffset(theirs: Date | undefined, askedAtMs: number, answeredAtMs: number): ClockOffset {
  const errorMs = Math.max(0, (answeredAtMs - askedAtMs) / 2);
  const offsetMs = theirs === undefined ? 0 : theirs.getTime() - (askedAtMs + answeredAtMs) / 2;
  return { offsetMs, errorMs };
}

/** The version in what a program said of itself; the first line when it is not recognised. */
function versionIn(tool: string, text: string): string {
  const version = knownTools.find((known) => known.name === tool)?.parseVersion(text);
  return version ?? text.split('\n')[0]?.trim() ?? '';
}
