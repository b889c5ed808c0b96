import { atLeast, type Tool } from '../../tool.js';

export const IPERF3_OLDEST = '3.9';

export const iperf3: Tool = {
  name: 'iperf3',
  versionArgv: ['iperf3', '--version'],
  package: 'iperf3',
  versions: '3.9 to 3.21',
  parseVersion: (text) => /\biperf\s+(3\.\d+(?:\.\d+)?)/.exec(text)?.[1],
};

/**
 * What an iperf3 of this version can do. Unknown versions are judged as 3.9.
 * Sources: the `longopts` table of src/iperf_api.c and RELNOTES.md of each tag of github.com/esnet/iperf.
 */
export interface Iperf3Can {
  readonly version: string;
  /** Built with OpenSSL: one-off credentials are possible. */
  readonly authentication: boolean;
  /** --idle-timeout, --rcv-timeout, --time-skew-threshold (3.10). */
  readonly timeouts: boolean;
  /** RSA-OAEP is the padding unless --use-pkcs1-padding is given (3.17; older ones know PKCS#1 v1.5 only). */
  readonly oaep: boolean;
  /** --cntl-ka: keepalives on the control connection (3.19). */
  readonly controlKeepalive: boolean;
  readonly largestMssBytes: number;
}

/** Reads `iperf3 --version`. The features line is missing before 3.1, and names authentication only when it is built in. */
export function iperf3Can(text: string): Iperf3Can {
  const version = iperf3.parseVersion(text);
  const features = /Optional features available:(.*)/.exec(text)?.[1];
  return {
    version: version ?? IPERF3_OLDEST,
    authentication: features?.includes('authentication') ?? false,
    timeouts: atLeast(version, '3.10'),
    oaep: atLeast(version, '3.17'),
    controlKeepalive: atLeast(version, '3.19'),
    largestMssBytes: atLeast(version, '3.21') ? 32_767 : 9_216,
  };
}
