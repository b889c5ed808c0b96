import { labExec, labStart } from '@plumbline/lab';
import { Diagnosis, Finding, type FindingCode } from '@plumbline/model';
import { z } from 'zod';
import { SERVER, type SeedPath } from '../known-answers/seed-path.js';
import { CpuLimit } from './cpu-limit.js';
import type { Scenario } from './scenario.js';

const Judged = z.object({
  legs: z.tuple([z.object({ diagnosis: Diagnosis, steps: z.array(z.object({ findings: z.array(Finding) })) })]),
});

/** What came of a scenario. */
export interface Trial {
  readonly run: string;
  /** What explains the judged step best; absent: nothing holds. */
  readonly primary?: FindingCode;
  readonly findings: readonly Finding[];
  readonly diagnosis: Diagnosis;
  /** right: as stated beforehand; cannot-tell: nothing was claimed; wrong: something else was. */
  readonly verdict: 'right' | 'cannot-tell' | 'wrong';
  /** Each thing that is not as stated. */
  readonly faults: readonly string[];
}

/** Makes the path, runs the tests through the API, and compares the diagnosis with what was stated beforehand. */
export async function conduct(seed: SeedPath, scenario: Scenario): Promise<Trial> {
  await seed.lay(scenario.path);
  await using _other = await competing(seed, scenario);
  using _limit = scenario.cpuQuota === undefined ? undefined : CpuLimit.of(seed.probePid('server'), scenario.cpuQuota);
  const run = await seed.run(scenario.tests, { forMs: 90_000 });
  return judge(scenario, run.id, Judged.parse(run));
}

function judge(scenario: Scenario, run: string, { legs: [leg] }: z.output<typeof Judged>): Trial {
  const findings = leg.steps[scenario.step ?? leg.steps.length - 1]?.findings ?? [];
  const holding = findings.filter(({ holds, code }) => holds === 'yes' && code !== 'inconclusive');
  const primary = holding[0]?.code;
  const faults: string[] = [];
  if (primary !== undefined && !scenario.accepts.includes(primary)) faults.push(`${primary} is first`);
  for (const code of scenario.never ?? [])
    if (holding.some((finding) => finding.code === code)) faults.push(`${code} holds`);
  const wrong = faults.length > 0;
  const missed = missing(scenario, holding);
  const lacks = primary === undefined || missed.length > 0;
  return {
    run,
    ...(primary === undefined ? {} : { primary }),
    findings,
    diagnosis: leg.diagnosis,
    verdict: wrong ? 'wrong' : lacks ? 'cannot-tell' : 'right',
    faults: [...faults, ...missed],
  };
}

/** What was to hold and does not, and figures that are off. */
function missing(scenario: Scenario, holding: readonly Finding[]): string[] {
  const faults: string[] = [];
  const { holds, ceilingWithin, figure, accepts } = scenario;
  if (holds && !holding.some(({ code }) => code === holds)) faults.push(`${holds} does not hold`);
  const accepted = holding.find(({ code }) => accepts.includes(code));
  if (!accepted) return [...faults, `none of ${accepts.join(', ')} holds`];
  if (ceilingWithin !== undefined) {
    const ratio = (accepted.evidence.measuredBps ?? Number.NaN) / (accepted.predictedCeilingBps ?? Number.NaN);
    if (!(Math.abs(ratio - 1) <= ceilingWithin)) faults.push(`measured is ${ratio.toFixed(3)} of the ceiling`);
  }
  if (figure) {
    const value = holding.map(({ evidence }) => evidence[figure.name]).find((each) => each !== undefined);
    if (!(Math.abs((value ?? Number.NaN) / figure.truth - 1) <= figure.within))
      faults.push(`${figure.name} is ${value}, the truth ${figure.truth}`);
  }
  return faults;
}

/** Another flow over the same path, bounded in time, ended with the trial. */
async function competing(seed: SeedPath, { competing: flow }: Scenario): Promise<AsyncDisposable> {
  if (!flow) return { [Symbol.asyncDispose]: async () => undefined };
  const server = await labStart(seed.lab, 'server', ['iperf3', '-s', '-1', '-p', '5998']);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const argv = [
    'iperf3',
    '-c',
    SERVER,
    '-p',
    '5998',
    '-t',
    '75',
    '-C',
    flow.congestionControl,
    '-P',
    `${flow.streams}`,
  ];
  const client = await labStart(seed.lab, 'client', argv);
  // It has filled its queue before the test begins.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return {
    [Symbol.asyncDispose]: async () => {
      await client.stop();
      await server.stop();
      await labExec(seed.lab, 'client', ['ip', 'tcp_metrics', 'flush', 'all']);
    },
  };
}

/** For people: what was found, in an order, with the figures. */
export function trialText({ findings, diagnosis, verdict, faults, run }: Trial): string {
  const lines = findings
    .filter(({ holds }) => holds !== 'no')
    .map(
      ({ code, holds, evidence, predictedCeilingBps, missing: lacks }) =>
        `    ${holds} ${code} ${JSON.stringify(evidence)} ${predictedCeilingBps === undefined ? '' : `ceiling ${(predictedCeilingBps / 1e6).toFixed(2)}`} ${lacks?.join('; ') ?? ''}`,
    );
  return [
    `  ${verdict}${faults.length > 0 ? `: ${faults.join('; ')}` : ''} (run ${run})`,
    `  ${diagnosis.headline}`,
    ...lines,
  ].join('\n');
}
