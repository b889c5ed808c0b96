import type { Phase, PhaseGroup } from '@plumbline/measure';
import { type Ending, ended } from '@plumbline/model';
import type { Claim, PhaseEnd } from '@plumbline/probe-rpc';
import { cannedOutput } from './canned/outputs.js';
import type { FakeClaim } from './fake-claims.js';
import { FakeLog } from './fake-log.js';
import type { FakeAttempt, FakePhase, FakeScript } from './fake-types.js';
import { ScriptedSpec } from './scripted.js';

/** One attempt of the fake probe: its programs are timers and texts. */
export class RunningFake {
  readonly log = new FakeLog();
  readonly startedAt = new Date();
  readonly #ends = new Map<Phase, PhaseEnd>();
  readonly #stop = new AbortController();
  #groups: readonly PhaseGroup[] = [];
  #tellBegun: (begun: boolean) => void = () => {};
  /** Whether the first phase that is not beside another has begun: false when the attempt ended before. */
  readonly begun = new Promise<boolean>((resolve) => {
    this.#tellBegun = resolve;
  });
  #ending: Ending | undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(
    readonly facts: FakeAttempt,
    readonly claim: Claim,
    readonly resource: string,
    private readonly script: FakeScript,
  ) {}

  get asClaim(): FakeClaim {
    return { id: this.facts.id, fence: this.claim.fence, shared: this.claim.shared, resource: this.resource };
  }
  get running(): boolean {
    return !this.log.finished;
  }

  start(groups: readonly PhaseGroup[], longestMs: number): void {
    this.#groups = groups;
    const timer = setTimeout(() => void this.end(ended('deadline-exceeded')), longestMs);
    this.#done = this.#run().finally(() => clearTimeout(timer));
  }

  /** Ends it for that reason unless another came first, and waits until it has ended. */
  async end(ending: Ending): Promise<void> {
    this.#ending ??= ending;
    this.#stop.abort();
    await this.#done;
  }

  /** As a probe finds it after its own death. */
  lose(): void {
    this.#ending = ended('probe-stopped');
    this.#stop.abort();
    this.#finish();
  }

  async #run(): Promise<void> {
    for (const group of this.#groups) {
      await this.#runGroup(group);
      if (this.#ending) break;
    }
    this.#ending = this.#ending ?? this.script.ending;
    this.#finish();
  }

  /** Beside ones first, each with its lead; they are ended when the others are over and their grace is. */
  async #runGroup({ mains, beside }: PhaseGroup): Promise<void> {
    const failed = new AbortController();
    const whole = AbortSignal.any([this.#stop.signal, failed.signal]);
    const begin = async (phase: Phase, over?: AbortSignal): Promise<void> => {
      const play = { ...played(phase, this.facts), ...this.script.phases?.[phase.name] };
      const ending = await this.#runPhase(phase, play, over ? AbortSignal.any([whole, over]) : whole);
      if (phase.optional || !ending || (over?.aborted && !whole.aborted)) return;
      this.#ending ??= ending;
      failed.abort();
    };
    const accompanying: { ended: Promise<void>; over: AbortController; graceMs: number }[] = [];
    for (const phase of beside) {
      const over = new AbortController();
      const ended = begin(phase, over.signal);
      accompanying.push({ ended, over, graceMs: phase.beside.graceMs });
      const isReady = phase.beside.readyText !== undefined;
      await Promise.race([ended, sleep(isReady ? 0 : phase.beside.leadMs, whole)]);
    }
    this.#tellBegun(!whole.aborted);
    if (!whole.aborted) await Promise.all(mains.map((phase) => begin(phase)));
    await Promise.all(
      accompanying.map(async ({ ended, over, graceMs }) => {
        await Promise.race([ended, sleep(graceMs, whole)]);
        over.abort();
        await ended;
      }),
    );
  }

  async #runPhase(phase: Phase, play: FakePhase, stop: AbortSignal): Promise<Ending | undefined> {
    const { name, tool } = phase;
    const startedAt = new Date();
    const argv = phase.argv.map((part) => part.replace(/\{file:(.+?)\}/, '/fake/$1'));
    this.log.append({ $case: 'started', value: { phase: name, tool, argv, pid: 4000 + this.facts.n } });
    for (const { text, elapsedMs } of play.samples ?? [])
      this.log.append({ $case: 'sample', value: { tool: 'ss', text, elapsedMs } });
    const durationMs = Math.min(play.durationMs ?? 10, phase.timeoutMs);
    await sleep(durationMs, stop);
    const tooLate = (play.durationMs ?? 10) > phase.timeoutMs;
    const signal = stop.aborted || tooLate ? 'SIGTERM' : (play.signal ?? '');
    const exitCode = signal === '' ? (play.exitCode ?? 0) : undefined;
    this.#keep(phase, play);
    this.#ends.set(phase, {
      phase: name,
      tool,
      argv,
      exitCode,
      signal,
      startedAt,
      endedAt: new Date(),
      cpuUserUs: play.cpuUserUs === undefined ? undefined : BigInt(play.cpuUserUs),
      cpuSystemUs: play.cpuSystemUs === undefined ? undefined : BigInt(play.cpuSystemUs),
    });
    if (tooLate) return ended('deadline-exceeded');
    if (signal !== '') return ended('tool-killed');
    return exitCode === 0 ? undefined : ended('tool-failed', `${tool} ended with ${exitCode}.`);
  }

  #keep({ name, tool }: Phase, play: FakePhase): void {
    this.log.artifact(`${name}.stdout`, name, tool, 'stdout', play.stdout ?? '');
    this.log.artifact(`${name}.stderr`, name, tool, 'stderr', play.stderr ?? '');
    const lines = (play.samples ?? []).map((sample) => `${JSON.stringify(sample)}\n`).join('');
    if (lines !== '') this.log.artifact('ss', name, 'ss', 'samples', lines);
    if (play.capture !== undefined) this.log.artifact(`${name}.capture`, name, tool, 'capture', play.capture);
  }

  #finish(): void {
    const ending: Ending = this.#ending ?? { outcome: 'completed' };
    const phases = this.#groups.flatMap(({ beside, mains }) => [...beside, ...mains]);
    this.log.append({
      $case: 'finished',
      value: {
        outcome: ending.outcome,
        reason: ending.outcome === 'completed' ? '' : ending.reason,
        detail: ending.outcome === 'completed' ? '' : (ending.detail ?? ''),
        phases: phases.flatMap((phase) => this.#ends.get(phase) ?? []),
        startedAt: this.startedAt,
        endedAt: new Date(),
        outputTruncated: false,
      },
    });
  }
}

/** Ends after that time, or with the signal. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });

/** What a phase does when the script says nothing: what its spec says, or what the program printed once. */
function played(phase: Phase, facts: FakeAttempt): FakePhase {
  if (!facts.kind.startsWith('scripted'))
    return { ...cannedOutput(phase), ...(phase.name === 'server' ? { durationMs: 300 } : {}) };
  if (phase.name.startsWith('server')) return { durationMs: phase.timeoutMs - 1 };
  const { phases, companions } = ScriptedSpec.parse(facts.spec);
  const spec = [...phases, ...companions].find((p) => p.name === phase.name);
  return {
    stdout: `${spec?.stdout ?? ''}${spec?.file ?? ''}${'\0'.repeat(spec?.floodBytes ?? 0)}`,
    stderr: spec?.stderr ?? '',
    ...(spec?.capture === undefined ? {} : { capture: spec.capture }),
    durationMs: Math.max(spec?.sleepMs ?? 0, 5),
    exitCode: spec?.exitCode ?? 0,
  };
}
