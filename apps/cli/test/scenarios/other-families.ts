import { drawLink, linksOf, linkText, mbit, promised, round, stream } from './drawn-links.js';
import type { Family } from './scenario.js';

/** Faults of use, of hosts, and of who else is there. */
export const OTHER_FAMILIES: readonly Family[] = [
  {
    name: 'transactions',
    draw: (draws) => {
      const link = drawLink(draws, { rtt: [20, 60] });
      return {
        path: { links: linksOf(link), promises: promised(link) },
        tests: [{ kind: 'bounceback', durationS: 3 }],
        accepts: ['rtt-bound'],
        figure: { name: 'predictedPerSecond', truth: 1000 / (link.rttMs + 0.1), within: 0.15 },
        text: linkText(link),
      };
    },
  },
  {
    name: 'short test',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [80e6, 150e6], rtt: [60, 100] });
      return {
        path: { links: linksOf(link), promises: promised(link) },
        tests: [stream({ durationS: 1, omitS: 0 })],
        accepts: ['startup-dominated'],
        text: linkText(link),
      };
    },
  },
  {
    name: 'congestion control mismatch',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [30e6, 50e6], rtt: [25, 40] });
      const lossRatio = round(draws.between(0.008, 0.015), 0.001);
      const weak = draws.share() < 0.5 ? 'cubic' : 'reno';
      return {
        path: {
          links: linksOf(link),
          more: [{ link: 2, side: 'ab', command: { command: 'loss', ratio: lossRatio } }],
          promises: promised(link),
        },
        tests: [{ kind: 'congestion-control-matrix', algorithms: [weak, 'bbr'], durationS: 3, omitS: 1 }],
        accepts: ['loss-limited', 'congestion-control-mismatch', 'link-limited'],
        holds: 'congestion-control-mismatch',
        text: `${linkText(link)}, ${(lossRatio * 100).toFixed(1)} % loss, ${weak} and bbr`,
      };
    },
  },
  {
    name: 'competing flow',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [20e6, 40e6], rtt: [16, 30] });
      return {
        path: { links: linksOf(link), promises: promised(link) },
        competing: { congestionControl: 'cubic', streams: 2 },
        tests: [
          {
            kind: 'udp-step-up',
            startRateBps: round(link.rateBps * 1.2, 1e5),
            maxRateBps: round(link.rateBps * 1.2, 1e5),
            stepRateBps: 1e6,
            stepDurationS: 2,
          },
          stream({ durationS: 5 }),
        ],
        accepts: ['competing-traffic'],
        text: `${linkText(link)}, two other cubic flows`,
      };
    },
  },
  {
    name: 'parallel hides single',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [30e6, 50e6], rtt: [25, 40] });
      const lossRatio = round(draws.between(0.008, 0.015), 0.001);
      return {
        path: {
          links: linksOf(link),
          more: [{ link: 2, side: 'ab', command: { command: 'loss', ratio: lossRatio } }],
          promises: promised(link),
        },
        tests: [{ kind: 'parallel', streams: 6, durationS: 4, omitS: 2, congestionControl: 'cubic' }],
        accepts: ['loss-limited', 'parallel-hides-single-flow', 'link-limited'],
        holds: 'parallel-hides-single-flow',
        text: `${linkText(link)}, ${(lossRatio * 100).toFixed(1)} % loss, 6 streams`,
      };
    },
  },
  {
    name: 'slow CPU',
    draw: (draws) => {
      const rttMs = round(draws.between(4, 10), 0.5);
      const cpuQuota = round(draws.between(0.05, 0.08), 0.01);
      const link = { rateBps: 900e6, rttMs, queueBytes: 4_000_000, bdpBytes: 112_500 * rttMs, payloadBps: 869e6 };
      return {
        path: { links: linksOf(link), promises: promised(link) },
        cpuQuota,
        tests: [stream({ durationS: 4 })],
        accepts: ['host-cpu-limited'],
        text: `${linkText(link)}, ${Math.round(cpuQuota * 100)} % of a CPU`,
      };
    },
  },
  {
    name: 'fragmentation',
    draw: (draws) => {
      const link = drawLink(draws);
      const payloadBytes = round(draws.between(1600, 4000), 4);
      return {
        path: { links: linksOf(link), promises: promised(link) },
        tests: [
          {
            kind: 'udp-step-up',
            startRateBps: round(link.rateBps * 0.5, 1e5),
            maxRateBps: round(link.rateBps * 0.5, 1e5),
            stepRateBps: 1e6,
            stepDurationS: 2,
            payloadBytes,
          },
        ],
        accepts: ['fragmentation', 'inconclusive'],
        holds: 'fragmentation',
        text: `${linkText(link)}, datagrams of ${payloadBytes} B`,
      };
    },
  },
  {
    name: 'below the committed rate',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [20e6, 40e6] });
      const committedRateBps = round(link.rateBps * draws.between(1.5, 3), 1e6);
      return {
        path: { links: linksOf(link), promises: { committedRateBps, expectedRttMs: link.rttMs } },
        tests: [
          {
            kind: 'udp-step-up',
            startRateBps: round(link.rateBps * 0.8, 1e5),
            maxRateBps: round(link.rateBps * 1.3, 1e5),
            stepRateBps: round(link.rateBps * 0.25, 1e5),
            stepDurationS: 2,
          },
        ],
        accepts: ['below-committed-rate', 'link-limited'],
        holds: 'below-committed-rate',
        text: `${linkText(link)}, promised ${mbit(committedRateBps)}`,
      };
    },
  },
  {
    name: 'one slow flow is no evidence',
    draw: (draws) => {
      const link = drawLink(draws, { rate: [40e6, 80e6], rtt: [20, 40] });
      const windowBytes = 32_768;
      return {
        path: { links: linksOf(link), promises: promised(link) },
        tests: [stream({ windowBytes })],
        accepts: ['application-window-limited'],
        never: ['below-committed-rate'],
        ceilingWithin: 0.15,
        text: `${linkText(link)}, a window of 32 KiB`,
      };
    },
  },
];
