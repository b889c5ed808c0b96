import type { Draws } from '../seed.js';
import { drawLink, linksOf, linkText, promised, stream } from './drawn-links.js';
import type { Family, Scenario } from './scenario.js';

/** Linux gives at most this share of the receive buffer as window (kernel 6.x; PRODUCT.md). */
const WINDOW_SHARE = 170 / 256;

/** What a window of this share of the path's BDP needs as buffer, in whole KiB. */
const windowScenario = (
  draws: Draws,
  make: (windowBytes: number) => Pick<Scenario, 'accepts'> & {
    sysctl?: { host: 'client' | 'server'; key: string; value: string };
    test?: object;
  },
): Scenario => {
  const link = drawLink(draws, { rate: [40e6, 120e6], rtt: [18, 45] });
  const windowBytes = Math.round(link.bdpBytes * draws.between(0.25, 0.6));
  const { accepts, sysctl, test = stream() } = make(windowBytes);
  return {
    path: { links: linksOf(link), ...(sysctl ? { sysctls: [sysctl] } : {}), promises: promised(link) },
    tests: [test],
    accepts,
    ceilingWithin: 0.15,
    text: `${linkText(link)}, window ${Math.round(windowBytes / 1000)} kB of ${Math.round(link.bdpBytes / 1000)} kB`,
  };
};

/** Faults of windows and buffers, each with a ceiling of closed form. */
export const WINDOW_FAMILIES: readonly Family[] = [
  {
    name: 'receiver window',
    draw: (draws) =>
      windowScenario(draws, (windowBytes) => {
        const max = Math.max(16_384, Math.round(windowBytes / WINDOW_SHARE));
        return {
          accepts: ['receive-window-limited'],
          sysctl: { host: 'server', key: 'net.ipv4.tcp_rmem', value: `4096 ${Math.min(131_072, max)} ${max}` },
        };
      }),
  },
  {
    name: 'sender buffer',
    draw: (draws) =>
      windowScenario(draws, (windowBytes) => {
        // Of a send buffer about half is payload: each segment's bookkeeping takes its share (sk_wmem_queued counts truesize).
        const max = Math.max(32_768, Math.round(windowBytes * 2));
        return {
          accepts: ['send-buffer-limited'],
          sysctl: { host: 'client', key: 'net.ipv4.tcp_wmem', value: `4096 ${Math.min(16_384, max)} ${max}` },
        };
      }),
  },
  {
    name: 'application window',
    draw: (draws) =>
      windowScenario(draws, (windowBytes) => ({
        accepts: ['application-window-limited'],
        test: stream({ windowBytes: Math.max(8192, Math.min(180_000, Math.round(windowBytes / 1024) * 1024)) }),
      })),
  },
  {
    name: 'window scaling stripped',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [40e6, 120e6], rtt: [25, 60] });
      return {
        path: {
          links: linksOf(link),
          more: [{ link: 2, command: { command: 'wscale', keep: false } }],
          promises: promised(link),
        },
        tests: [stream()],
        accepts: ['window-scaling-missing'],
        ceilingWithin: 0.15,
        text: linkText(link),
      };
    },
  },
  {
    name: 'two limits at once',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [40e6, 80e6], rtt: [25, 40] });
      // A window somewhat below what the loss would allow.
      const windowBytes = Math.round(link.bdpBytes * draws.between(0.15, 0.25));
      const max = Math.max(16_384, Math.round(windowBytes / WINDOW_SHARE));
      return {
        path: {
          links: linksOf(link),
          more: [{ link: 2, side: 'ab', command: { command: 'loss', ratio: 0.0005 } }],
          sysctls: [{ host: 'server', key: 'net.ipv4.tcp_rmem', value: `4096 ${Math.min(131_072, max)} ${max}` }],
          promises: promised(link),
        },
        tests: [stream({ durationS: 4 })],
        accepts: ['receive-window-limited', 'loss-limited'],
        text: `${linkText(link)}, window ${Math.round(windowBytes / 1000)} kB and 0.05 % loss`,
      };
    },
  },
];
