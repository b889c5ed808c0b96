import type { Phase } from '@plumbline/measure';
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
  readonly #ends: PhaseEnd[] = [];
  readonly #stop = new AbortController();
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

  start(phases: readonly Phase[], longestMs: number): void {
    const timer = setTimeout(() => void this.end(ended('deadline-exceeded')), longestMs);
    this.#done = this.#run(phases).finally(() => clearTimeout(timer));
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

  async #run(phases: readonly Phase[]): Promise<void> {
    for (const phase of phases) {
      const ending = await this.#runPhase(phase, { ...played(phase, this.facts), ...this.script.phases?.[phase.name] });
      if (!phase.optional) this.#ending ??= ending;
      if (this.#ending) break;
    }
    this.#ending = this.#ending ?? this.script.ending;
    this.#finish();
  }

  async #runPhase(phase: Phase, play: FakePhase): Promise<Ending | undefined> {
    const { name, tool } = phase;
    const startedAt = new Date();
    const argv = phase.argv.map((part) => part.replace(/\{file:(.+?)\}/, '/fake/$1'));
    this.log.append({ $case: 'started', value: { phase: name, tool, argv, pid: 4000 + this.facts.n } });
    for (const { text, elapsedMs } of play.samples ?? [])
      this.log.append({ $case: 'sample', value: { tool: 'ss', text, elapsedMs } });
    const durationMs = Math.min(play.durationMs ?? 10, phase.timeoutMs);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      const stop = (): void => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stop.signal.aborted) stop();
      this.#stop.signal.addEventListener('abort', stop, { once: true });
    });
    const tooLate = (play.durationMs ?? 10) > phase.timeoutMs;
    const signal = this.#stop.signal.aborted || tooLate ? 'SIGTERM' : (play.signal ?? '');
    const exitCode = signal === '' ? (play.exitCode ?? 0) : undefined;
    this.#keep(phase, play);
    this.#ends.push({
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
  }

  #finish(): void {
    const ending: Ending = this.#ending ?? { outcome: 'completed' };
    this.log.append({
      $case: 'finished',
      value: {
        outcome: ending.outcome,
        reason: ending.outcome === 'completed' ? '' : ending.reason,
        detail: ending.outcome === 'completed' ? '' : (ending.detail ?? ''),
        phases: this.#ends,
        startedAt: this.startedAt,
        endedAt: new Date(),
        outputTruncated: false,
      },
    });
  }
}

/** What a phase does when the script says nothing: what its spec says, or what the program printed once. */
function played(phase: Phase, facts: FakeAttempt): FakePhase {
  if (!facts.kind.startsWith('scripted'))
    return { ...cannedOutput(phase), ...(phase.name === 'server' ? { durationMs: 300 } : {}) };
  if (phase.name === 'server') return { durationMs: phase.timeoutMs - 1 };
  const spec = ScriptedSpec.parse(facts.spec).phases.find((p) => p.name === phase.name);
  return {
    stdout: `${spec?.stdout ?? ''}${spec?.file ?? ''}${'\0'.repeat(spec?.floodBytes ?? 0)}`,
    stderr: spec?.stderr ?? '',
    durationMs: Math.max(spec?.sleepMs ?? 0, 5),
    exitCode: spec?.exitCode ?? 0,
  };
}
