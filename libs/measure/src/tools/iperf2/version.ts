import type { ProbeHost } from '../../ability.js';
import { atLeast, type Tool } from '../../tool.js';

/** The first release with `--bounceback` (src/Settings.cpp, April 2022). */
export const BOUNCEBACK_SINCE = '2.1.7';
/** Requests and replies of different sizes: --bounceback-request and --bounceback-reply (RELEASE_NOTES and commit 8e63f8bc). */
export const REPLY_SIZE_SINCE = '2.2.0';

/** `-v` speaks on stderr up to 2.1.8 and on stdout from 2.1.9 on: both are read. Its own builds are named 2.1.n. */
export const iperf2: Tool = {
  name: 'iperf2',
  versionArgv: ['iperf', '-v'],
  package: 'iperf',
  versions: '2.0.14 to 2.2.1',
  parseVersion: (text) => /\biperf version (2\.\d+(?:\.\d+)?)/.exec(text)?.[1],
};

export const iperf2Text = (host: ProbeHost): string | undefined => host.tools.iperf2;

export interface Iperf2Can {
  readonly version: string | undefined;
  readonly bounceback: boolean;
  readonly replySize: boolean;
}

/** Unknown versions are judged as the oldest, which knows no bounceback: iperf 2 ignores options that it does not know. */
export function iperf2Can(text: string): Iperf2Can {
  const version = iperf2.parseVersion(text);
  return {
    version,
    bounceback: atLeast(version, BOUNCEBACK_SINCE),
    replySize: atLeast(version, REPLY_SIZE_SINCE),
  };
}
