import { type Host, type Lab, labArgv, labDown, labSysctl, labUp, pathOf } from '@plumbline/lab';
import { type DemoHost, type Ground, rttTest, streamTest } from './ground.js';
import { labNameFor, labPlaceFor } from './lab-name.js';

const RATE_BPS = 200e6;
const RTT_MS = 18;
/** A little more than the bandwidth-delay product of 450 kB: a smaller queue would be a limit of its own. */
const QUEUE_BYTES = 500_000;
/** The window is at most 170/256 of it: 174 kB, so 77 Mbit/s at 18 ms. */
const SMALL_RMEM_BYTES = 262_144;
const LARGE_RMEM_BYTES = 16_777_216;
const DURATION_S = 5;
const TCP_RMEM = 'net.ipv4.tcp_rmem';
const rmem = (maxBytes: number): string => `4096 131072 ${maxBytes}`;

/**
 * An emulated path whose receiver may use a small window only. A lab that a killed start left is taken down first.
 * @throws {Error} the lab's own, with a sentence
 */
export async function labGround(dataDir: string): Promise<Ground> {
  const name = labNameFor(dataDir);
  const place = labPlaceFor(dataDir);
  const lab = await labUp({ name, replace: true, ...place, ...pathOf(RATE_BPS, RTT_MS, QUEUE_BYTES) });
  try {
    await labSysctl(name, 'server', TCP_RMEM, rmem(SMALL_RMEM_BYTES), place);
  } catch (error) {
    await labDown(name, place);
    throw error;
  }
  const tests = [rttTest, streamTest(DURATION_S)];
  const plan = 'demo-one-stream';
  return {
    kind: 'lab',
    description:
      'one TCP flow over an emulated path of 200 Mbit/s and 18 ms, whose receiver may use a small window only',
    client: host(lab, 'client', 'demo-client'),
    server: host(lab, 'server', 'demo-server'),
    path: { committedRateBps: RATE_BPS, rateLayer: 'ip', expectedRttMs: RTT_MS },
    plan,
    tests,
    after: { plan, tests },
    async change() {
      await labSysctl(name, 'server', TCP_RMEM, rmem(LARGE_RMEM_BYTES), place);
      return `${TCP_RMEM} maximum on the receiver ${SMALL_RMEM_BYTES} -> ${LARGE_RMEM_BYTES}`;
    },
    report: {
      title: 'What a larger receive window changes',
      lab: { rateBps: RATE_BPS, rttMs: RTT_MS },
      notes: [
        `The path is emulated on this host: network namespaces and a link of ${RATE_BPS / 1e6} Mbit/s and ${RTT_MS} ms.`,
      ],
    },
    end: async () => {
      await labDown(name, place);
    },
  };
}

function host(lab: Lab, where: Host, probe: DemoHost['probe']): DemoHost {
  const facing = lab.hosts[where].interfaces[0];
  if (facing === undefined) throw new Error(`the lab's ${where} has no interface`);
  return {
    probe,
    endpoint: { name: 'test', address: facing.ipv4, interface: facing.name },
    argv: (command) => labArgv(lab.name, where, command),
  };
}
