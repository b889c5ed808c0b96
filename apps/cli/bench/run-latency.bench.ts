// What Plumbline adds to a test, on loopback and idle: from POST /v1/runs to the first data segment on the wire (seen by
// tcpdump, not by us), from the tool's exit to the readable result, and what a 10 s test takes beyond its 10 s. Beside it the
// bare tool, started by hand in the same run. Node strips the types; imports what was built.
import { startProcess } from '@plumbline/process';
import { startProbe, startProduct } from '@plumbline/testing';
import { z } from 'zod';

const ROUNDS = 15;
const LIMITS = { firstSegmentMs: 300, exitToReadableMs: 150, addedMs: 1000 };

const RunTimes = z.looseObject({
  state: z.string(),
  legs: z.array(
    z.looseObject({
      steps: z.array(
        z.looseObject({
          attempts: z.array(
            z.looseObject({
              outcome: z.string().nullable(),
              commands: z.array(
                z.looseObject({
                  end: z.string(),
                  phase: z.string(),
                  argv: z.array(z.string()),
                  endedAt: z.string().nullable(),
                }),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
});

const median = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const row = (what: string, values: readonly number[], limit?: number) => {
  const sorted = [...values].sort((a, b) => a - b);
  const worst = sorted.at(-1) ?? Number.NaN;
  const verdict =
    limit === undefined ? '' : median(values) <= limit ? `  ok (limit ${limit} ms)` : `  MISSED (limit ${limit} ms)`;
  console.log(
    `${what.padEnd(58)} median ${median(values).toFixed(0).padStart(6)} ms  worst ${worst.toFixed(0).padStart(6)} ms${verdict}`,
  );
};

/** Wall-clock time (ms) of the first segment with payload from each source port, as the kernel saw it on lo. */
const firstSegmentAtMs = new Map<number, number>();
const capture = startProcess({
  argv: [
    'tcpdump',
    '-i',
    'lo',
    '-n',
    '-tt',
    '-l',
    '--immediate-mode',
    '-s',
    '96',
    'tcp and greater 70 and net 127.0.0.0/8',
  ],
  maxOutputBytes: Number.POSITIVE_INFINITY,
  output: 'keep',
  onStdout: (chunk) => {
    for (const line of chunk.toString().split('\n')) {
      const seen = /^(\d+\.\d+) IP 127\.[\d.]+\.(\d+) > .* length ([1-9]\d*)/.exec(line);
      const port = Number(seen?.[2]);
      if (seen && !firstSegmentAtMs.has(port)) firstSegmentAtMs.set(port, Number(seen[1]) * 1000);
    }
  },
});

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function bareRound(cport: number): Promise<number> {
  const server = startProcess({ argv: ['iperf3', '-s', '-1', '-p', '5990', '-B', '127.0.0.2'] });
  await wait(200);
  const startedMs = Date.now();
  const client = startProcess({
    argv: [
      'iperf3',
      '-c',
      '127.0.0.2',
      '-p',
      '5990',
      '--cport',
      String(cport),
      '-B',
      '127.0.0.1',
      '-t',
      '1',
      '-b',
      '50M',
      '-J',
    ],
  });
  await client.result;
  await server.stop();
  await wait(100);
  return (firstSegmentAtMs.get(cport) ?? Number.NaN) - startedMs;
}

const product = await startProduct();
const probes = [
  await startProbe(product, { name: 'a', site: 'a', endpoints: ['lo=127.0.0.1'] }),
  await startProbe(product, { name: 'b', site: 'b', endpoints: ['lo=127.0.0.2'] }),
];
try {
  await product.must('PUT', '/v1/paths/ab', {
    source: { probe: 'a', endpoint: 'lo' },
    destination: { probe: 'b', endpoint: 'lo' },
  });
  const one = async (durationS: number) => {
    const postedMs = Date.now();
    const { id } = z.looseObject({ id: z.string() }).parse(
      await product.must('POST', '/v1/runs', {
        plan: { tests: [{ kind: 'single-stream', durationS, congestionControl: 'cubic', rateBps: 50e6 }] },
        paths: ['ab'],
      }),
    );
    const deadlineMs = postedMs + durationS * 1000 + 30_000;
    // Asking costs what is measured here: not before the test can be over.
    await wait(durationS * 1000);
    // Ends when the result is readable, or at the deadline.
    for (;;) {
      await wait(10);
      const run = RunTimes.parse(await product.must('GET', `/v1/runs/${id}`));
      const attempt = run.legs[0]?.steps[0]?.attempts.at(-1);
      if (attempt?.outcome === 'completed') {
        const readableMs = Date.now();
        const test = attempt.commands.find((command) => command.end === 'near' && command.phase === 'test');
        const cport = Number(test?.argv[test.argv.indexOf('--cport') + 1]);
        return {
          firstSegmentMs: (firstSegmentAtMs.get(cport) ?? Number.NaN) - postedMs,
          exitToReadableMs: readableMs - Date.parse(test?.endedAt ?? ''),
          addedMs: readableMs - postedMs - durationS * 1000,
        };
      }
      if (Date.now() > deadlineMs) throw new Error(`no result: ${JSON.stringify(run)}`);
    }
  };
  await one(1);
  const bare: number[] = [];
  const ours: Awaited<ReturnType<typeof one>>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await one(1));
    bare.push(await bareRound(45_000 + round));
  }
  const long = [await one(10), await one(10)];
  row('bare iperf3: its start to the first data segment', bare);
  row(
    'POST /v1/runs to the first data segment',
    ours.map((o) => o.firstSegmentMs),
    LIMITS.firstSegmentMs,
  );
  row(
    'tool exit to the readable result',
    ours.map((o) => o.exitToReadableMs),
    LIMITS.exitToReadableMs,
  );
  row(
    'what is added to a 1 s test',
    ours.map((o) => o.addedMs),
  );
  row(
    'what is added to a 10 s test',
    long.map((o) => o.addedMs),
    LIMITS.addedMs,
  );
  const missed =
    !(median(ours.map((o) => o.firstSegmentMs)) <= LIMITS.firstSegmentMs) ||
    !(median(ours.map((o) => o.exitToReadableMs)) <= LIMITS.exitToReadableMs) ||
    !(median(long.map((o) => o.addedMs)) <= LIMITS.addedMs);
  process.exitCode = missed ? 1 : 0;
} finally {
  await capture.stop();
  for (const probe of probes) await probe.process.stop(5000);
  await product.stop();
}
