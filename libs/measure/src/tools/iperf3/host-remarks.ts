import type { End } from '@plumbline/model';
import { atLeast } from '../../tool.js';

/** From here on a core counts as full: the rest is the clock's own grain. */
const FULL_SHARE = 0.95;

export interface CpuAccount {
  readonly end: End;
  readonly version: string | undefined;
  /** CPU time of the program by wall-clock time, 1 being one core. */
  readonly share: number | undefined;
}

/**
 * What the CPU shares of both ends' iperf3 mean. Up to 3.15 one thread does everything, so one core is the most; since 3.16
 * every stream has a thread of its own (src/iperf_client_api.c, iperf_create_streams). 3.16 and 3.17 spin while they pace
 * (mended in 3.18, RELNOTES, iperf issue 1741). Work of the kernel in interrupts is in none of these shares.
 */
export function cpuRemarks(accounts: readonly CpuAccount[], streams: number, paced: boolean): string[] {
  const spins = ({ version }: CpuAccount) => paced && atLeast(version, '3.16') && !atLeast(version, '3.18');
  const full = accounts.filter((account) => !spins(account)).flatMap((account) => fullRemark(account, streams) ?? []);
  const spinning = accounts.some(spins)
    ? ['iperf3 3.16 and 3.17 spin while they pace: cpu says nothing of the host here (iperf issue 1741)']
    : [];
  return [...full, ...spinning];
}

function fullRemark({ end, version, share }: CpuAccount, streams: number): string | undefined {
  const threads = atLeast(version, '3.16') ? streams : 1;
  if (version === undefined || share === undefined || share < FULL_SHARE * threads) return undefined;
  const cores = threads === 1 ? 'the one core that its thread can use' : `${threads} cores, one a stream`;
  return `iperf3 ${version} of the ${end} host used ${share.toFixed(2)} of ${cores}: the host, not the path, may be the limit`;
}

/**
 * A window that was asked for: Linux doubles it for its own bookkeeping (socket(7), SO_SNDBUF), so that only a part of the
 * buffer is window; and a buffer that a program sets is no longer tuned by the kernel (tcp(7), tcp_moderate_rcvbuf).
 */
export function windowRemarks(askedBytes: number | undefined, givenBytes: number | undefined): string[] {
  if (askedBytes === undefined || givenBytes === undefined) return [];
  return [
    `windowBytes ${askedBytes}: the kernel gave ${givenBytes} bytes of buffer, headers and bookkeeping in it, and no longer tunes it by itself`,
  ];
}
