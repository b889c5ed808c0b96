import { type DemoHost, type Ground, rttTest, streamTest } from './ground.js';

const SMALL_WINDOW_BYTES = 16_384;
const DURATION_S = 3;

/** Both probes on this host. It shows that everything works together here, and nothing about a path: there is none. */
export function loopbackGround(why: string): Ground {
  return {
    kind: 'loopback',
    // The part before the colon; the rest are a program's own words, for the report.
    description: `one TCP flow on loopback, because ${why.split(': ')[0]}`,
    client: host('demo-client', '127.0.0.1'),
    server: host('demo-server', '127.0.0.2'),
    path: {},
    plan: 'demo-small-window',
    tests: [rttTest, streamTest(DURATION_S, SMALL_WINDOW_BYTES)],
    after: { plan: 'demo-one-stream', tests: [rttTest, streamTest(DURATION_S)] },
    change: async () => `windowBytes ${SMALL_WINDOW_BYTES} in the plan -> the kernel's own autotuning`,
    report: {
      title: 'A fixed small window and autotuning, on loopback',
      loopback: true,
      notes: [
        `There is no emulated path: ${why}.`,
        'The two plans differ in windowBytes; a setting of this host was not touched.',
      ],
    },
    end: async () => {},
  };
}

const host = (probe: DemoHost['probe'], address: string): DemoHost => ({
  probe,
  endpoint: { name: 'test', address },
  argv: ([program = '', ...args]) => [program, ...args],
});
