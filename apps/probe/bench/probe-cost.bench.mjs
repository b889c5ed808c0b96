// What a probe costs: memory at rest, time of a snapshot, and the share of one core that the probe and its sampling take while a
// 500 Mbit/s iperf3 runs for 20 s on loopback (the test tool not counted). Runs what was built: node apps/probe/bench/probe-cost.bench.mjs
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectProbe } from '@plumbline/probe-rpc';
import { runProcess, startProcess } from '@plumbline/process';

const DURATION_S = Number(process.argv[2] ?? 20);
const folder = mkdtempSync(join(tmpdir(), 'plumb-bench-'));
const script = `import { main } from ${JSON.stringify(fileURLToPath(new URL('../dist/index.js', import.meta.url)))};
process.exitCode = await main(JSON.parse(process.argv[1]));`;

function start(name) {
  const listen = `unix:${join(folder, `${name}.sock`)}`;
  const options = {
    name,
    site: 's',
    listen,
    endpoints: ['a=127.0.0.1'],
    dataDir: join(folder, name),
    logLevel: 'error',
  };
  return new Promise((resolve) => {
    const running = startProcess({
      argv: [process.execPath, '--input-type=module', '-e', script, JSON.stringify(options)],
      env: { PATH: process.env.PATH ?? '' },
      graceMs: 4000,
      onStdout: () => resolve({ running, pid: running.pid, probe: connectProbe({ address: listen, name }) }),
    });
  });
}

/** proc(5): parent and CPU time in ticks of 10 ms, its own and that of children it waited for. */
function stat(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: fields[1], own: fields[11] + fields[12], children: fields[13] + fields[14] };
}
function samplerOf(parent) {
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    try {
      if (stat(pid).parent === parent && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('ss-loop')) return pid;
    } catch {
      // It ended while we looked.
    }
  }
  throw new Error(`process ${parent} does not sample`);
}
const rssMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
async function execCostMs(argv) {
  const cpu = [];
  for (let i = 0; i < 20; i += 1) {
    const { cpuUserUs = 0, cpuSystemUs = 0 } = await runProcess({
      argv: ['sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9 10; do "$@"; done', 'x', ...argv],
    });
    cpu.push((cpuUserUs + cpuSystemUs) / 10_000);
  }
  return median(cpu);
}

const [near, far] = [await start('near'), await start('far')];
try {
  await delay(3000);
  const idle = [near, far].map(({ pid }) => rssMb(pid));
  const snapshots = [];
  for (let i = 0; i < 15; i += 1) {
    const from = performance.now();
    await near.probe.snapshot({ endpoint: 'a', peerAddress: '127.0.0.1' });
    snapshots.push(performance.now() - from);
  }
  const baseline = {
    trueMs: await execCostMs(['/bin/true']),
    ssMs: await execCostMs(['ss', '-tinmH', '( sport = :1 )']),
  };
  const claim = { attemptId: 'bench', legId: 'l', fence: 1n };
  const specJson = JSON.stringify({ direction: 'forward', durationS: DURATION_S, rateBps: 500_000_000 });
  const spec = { kind: 'throughput/iperf3', schemaVersion: 1, specJson };
  const peerJson = JSON.stringify({ version: '3.12', authentication: true, oaep: false });
  const from = performance.now();
  const consent = await far.probe.respond({ claim, spec, endpoint: 'a', peerAddress: '127.0.0.1', peerJson });
  const respondMs = performance.now() - from;
  let [programMs, samples] = [Number.NaN, 0];
  const running = (async () => {
    for await (const { event } of near.probe.execute({
      claim,
      spec,
      endpoint: 'a',
      grant: consent.grant,
      peerJson: consent.peerJson,
    })) {
      if (event.$case === 'started' && event.value.phase === 'test') programMs = performance.now() - from;
      if (event.$case === 'sample') samples += 1;
      if (event.$case === 'finished') return event.value;
    }
  })();
  // Ends when the program runs, or with the attempt.
  while (Number.isNaN(programMs) && (await Promise.race([running, delay(20, 'runs on')])) === 'runs on');
  await delay(1500);
  const measure = () =>
    [near, far].map(({ pid }) => {
      const [probe, sampler] = [stat(pid), stat(samplerOf(pid))];
      return { atMs: performance.now(), own: probe.own, sampling: sampler.own + sampler.children };
    });
  const before = measure();
  await delay((DURATION_S - 4) * 1000);
  const after = measure();
  const finished = await running;
  const shares = ['near', 'far'].map((end, i) => {
    const seconds = (after[i].atMs - before[i].atMs) / 1000;
    const share = (key) => Number(((after[i][key] - before[i][key]) / seconds).toFixed(2));
    return { end, probePercent: share('own'), samplingPercent: share('sampling') };
  });
  console.log(
    JSON.stringify(
      {
        loadAverage: readFileSync('/proc/loadavg', 'latin1').trim(),
        idleRssMb: idle.map(Math.round),
        afterRssMb: [near, far].map(({ pid }) => Math.round(rssMb(pid))),
        snapshotMedianMs: Math.round(median(snapshots)),
        respondMs: Math.round(respondMs),
        respondToTestProgramMs: Math.round(programMs),
        cpuOfOneRunMs: baseline,
        shareOfOneCore: shares,
        samples,
        outcome: finished.outcome,
      },
      null,
      1,
    ),
  );
} finally {
  for (const { probe, running } of [near, far]) {
    probe.close();
    await running.stop();
  }
  rmSync(folder, { recursive: true, force: true });
}
