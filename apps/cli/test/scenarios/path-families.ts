import { drawLink, linksOf, linkText, mbit, promised, round, stream } from './drawn-links.js';
import type { Family } from './scenario.js';

/** Random loss; each algorithm makes something else of it. */
const LOSS: readonly Family[] = (['cubic', 'reno', 'bbr'] as const).flatMap((congestionControl) =>
  [0.001, 0.01].map(
    (ratio): Family => ({
      name: `${ratio * 100} % loss, ${congestionControl}`,
      draw: (draws) => {
        const link = drawLink(draws, { rate: ratio < 0.005 ? [70e6, 100e6] : [30e6, 60e6], rtt: [25, 40] });
        const lossRatio = round(ratio * draws.between(0.9, 1.3), 0.0001);
        return {
          path: {
            links: linksOf(link),
            more: [{ link: 2, side: 'ab', command: { command: 'loss', ratio: lossRatio } }],
            promises: promised(link),
          },
          tests: [stream({ congestionControl, durationS: 5, omitS: 2 })],
          accepts: congestionControl === 'bbr' ? ['link-limited'] : ['loss-limited'],
          text: `${linkText(link)}, ${(lossRatio * 100).toFixed(2)} % loss, ${congestionControl}`,
        };
      },
    }),
  ),
);

/** Faults of the path itself. */
export const PATH_FAMILIES: readonly Family[] = [
  ...LOSS,
  {
    name: 'link, clean',
    draw: (draws) => {
      const link = drawLink(draws);
      const congestionControl = draws.share() < 0.5 ? 'cubic' : 'reno';
      return {
        path: { links: linksOf(link), promises: promised(link) },
        tests: [stream({ congestionControl })],
        accepts: ['link-limited'],
        ceilingWithin: 0.15,
        text: `${linkText(link)}, ${congestionControl}`,
      };
    },
  },
  {
    name: 'link with bufferbloat',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [20e6, 40e6], rtt: [12, 25], queue: [6, 10] });
      return {
        path: { links: linksOf(link), promises: promised(link) },
        tests: [stream({ durationS: 4 })],
        accepts: ['link-limited', 'bufferbloat'],
        holds: 'bufferbloat',
        text: linkText(link),
      };
    },
  },
  {
    name: 'loss of acknowledgements',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [20e6, 40e6], rtt: [15, 30] });
      const lossRatio = round(draws.between(0.01, 0.05), 0.001);
      return {
        path: {
          links: linksOf(link),
          more: [{ link: 2, side: 'ba', command: { command: 'loss', ratio: lossRatio } }],
          promises: promised(link),
        },
        tests: [stream()],
        accepts: ['link-limited', 'asymmetric'],
        text: `${linkText(link)}, ${(lossRatio * 100).toFixed(1)} % of ACKs lost`,
      };
    },
  },
  {
    name: 'policer',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [80e6, 120e6], rtt: [16, 30] });
      const tokenBps = round(link.rateBps * draws.between(0.2, 0.4), 1e5);
      const burstBytes = Math.round(draws.between(90_000, 180_000));
      return {
        path: {
          links: linksOf(link),
          more: [{ link: 2, side: 'ab', command: { command: 'policer', rateBps: tokenBps, burstBytes } }],
          promises: promised(link),
        },
        tests: [
          {
            kind: 'udp-step-up',
            startRateBps: round(tokenBps * 0.6, 1e5),
            stepRateBps: round(tokenBps * 0.3, 1e5),
            maxRateBps: round(tokenBps * 1.6, 1e5),
            stepDurationS: 2,
            stopLossRatio: 0.02,
          },
          stream({ durationS: 4 }),
        ],
        accepts: ['policed'],
        figure: { name: 'tokenRateBps', truth: tokenBps, within: 0.05 },
        text: `${linkText(link)}, policed at ${mbit(tokenBps)} with ${Math.round(burstBytes / 1000)} kB`,
      };
    },
  },
  {
    name: 'reordering',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [30e6, 60e6], rtt: [20, 30] });
      const [ratio, extraMs] = [round(draws.between(0.01, 0.04), 0.001), round(draws.between(4, 9), 0.5)];
      return {
        path: {
          links: linksOf(link),
          more: [{ link: 2, side: 'ab', command: { command: 'reorder', ratio, extraMs } }],
          promises: promised(link),
        },
        tests: [stream()],
        accepts: ['reordering', 'link-limited'],
        holds: 'reordering',
        never: ['loss-limited'],
        text: `${linkText(link)}, ${(ratio * 100).toFixed(1)} % later by ${extraMs} ms`,
      };
    },
  },
  {
    name: 'MTU black hole',
    draw: (draws) => {
      const link = drawLink(draws);
      const sizeBytes = round(draws.between(1200, 1440), 4);
      return {
        path: {
          links: linksOf(link),
          more: [{ link: 2, command: { command: 'maxlen', sizeBytes } }],
          promises: promised(link),
        },
        tests: [{ kind: 'path-mtu', direction: 'forward' }, stream({ durationS: 2, omitS: 0 })],
        step: 0,
        accepts: ['mtu-black-hole'],
        figure: { name: 'pathMtuBytes', truth: sizeBytes, within: 0.01 },
        text: `${linkText(link)}, packets over ${sizeBytes} B vanish`,
      };
    },
  },
  {
    name: 'asymmetric rates',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [40e6, 60e6], rtt: [15, 30] });
      const backBps = round(link.rateBps * draws.between(0.15, 0.35), 1e5);
      const links = linksOf(link);
      return {
        path: { links: { ...links, link2: { ...links.link2, ba: { rateBps: backBps } } }, promises: promised(link) },
        tests: [stream({ direction: 'both' })],
        accepts: ['link-limited', 'asymmetric'],
        holds: 'asymmetric',
        text: `${linkText(link)}, back ${mbit(backBps)}`,
      };
    },
  },
  {
    name: 'per-flow cap',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [80e6, 120e6], rtt: [12, 20] });
      const flowBps = round(link.rateBps * draws.between(0.12, 0.2), 1e5);
      return {
        path: {
          links: linksOf(link),
          more: [{ link: 2, side: 'ab', command: { command: 'flowrate', rateBps: flowBps } }],
          promises: promised(link),
        },
        tests: [{ kind: 'parallel', streams: 4, durationS: 3, omitS: 1, congestionControl: 'cubic' }],
        accepts: ['per-flow-capped'],
        text: `${linkText(link)}, each flow ${mbit(flowBps)}`,
      };
    },
  },
];
