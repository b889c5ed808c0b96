import type { Phase, PhaseGroup } from '@plumbline/measure';
import { type Ending, ended } from '@plumbline/model';
import type { PhaseEnd } from '@plumbline/probe-rpc';
import type { Children } from '../children.js';
import type { AttemptLog } from '../spool/attempt-log.js';
import type { AttemptFacts, Spooled } from '../spool/spool.js';
import { runGroup } from './group.js';
import { type PhaseRun, runPhase } from './phase.js';

export interface AttemptSetting {
  /** One after the other; the phases of one run at the same time. */
  readonly groups: readonly PhaseGroup[];
  readonly longestMs: number;
  /** A folder of the attempt's own for temporary files. */
  readonly temporary: string;
  readonly children: Children;
  /** Called when it has ended, whatever happened: gives ports back, tells the log of the probe. */
  readonly onEnd: (ending: Ending, problem?: unknown) => void;
  readonly onSample?: () => void;
}

/** One attempt that runs: its groups of programs one after another, its one ending, the first cause. */
export class RunningAttempt implements Spooled {
  readonly done: Promise<void>;
  readonly #stop = new AbortController();
  readonly #pids = new Map<string, number>();
  readonly #ends = new Map<Phase, PhaseEnd>();
  readonly #phases: readonly Phase[];
  #cause: Ending | undefined;
  #truncated = false;

  constructor(
    readonly facts: AttemptFacts,
    readonly log: AttemptLog,
    private readonly setting: AttemptSetting,
  ) {
    this.#phases = setting.groups.flatMap(({ beside, mains }) => [...beside, ...mains]);
    const timer = setTimeout(() => {
      void this.end(ended('deadline-exceeded', `It ran for more than ${setting.longestMs} ms.`));
    }, setting.longestMs);
    this.done = this.#run().finally(() => clearTimeout(timer));
  }

  /** Of a phase's program; undefined while it does not run. */
  pidOf(phase: string): number | undefined {
    return this.#pids.get(phase);
  }
  /** How it ended, or will: undefined while nothing has happened to it. */
  get cause(): Ending | undefined {
    return this.#cause;
  }

  /** Ends its programs for that reason, unless another came first. Resolves when their groups are gone. */
  end(ending: Ending): Promise<void> {
    this.#cause ??= ending;
    this.#stop.abort();
    return this.done;
  }

  /** Never rejects: a mistake of ours is an ending too. */
  async #run(): Promise<void> {
    let problem: unknown;
    try {
      const { signal } = this.#stop;
      const run = this.#runPhase.bind(this);
      const onEnd = this.#takeEnd.bind(this);
      // Ends with the last group: each program has its timeout, and the attempt its longest duration.
      for (const group of this.setting.groups) {
        if (this.#cause) break;
        await runGroup(group, { signal, run, onEnd });
      }
      this.#finish();
    } catch (error) {
      problem = error;
      this.#cause ??= ended('internal-error', error instanceof Error ? error.message : String(error));
      this.#tryToFinish();
    }
    this.setting.onEnd(this.#cause ?? { outcome: 'completed' }, problem);
  }

  #runPhase(phase: Phase, signal: AbortSignal, onReady: () => void): Promise<PhaseRun> {
    const { children, onSample } = this.setting;
    const onPid = (pid: number | undefined): void => {
      if (pid === undefined) this.#pids.delete(phase.name);
      else this.#pids.set(phase.name, pid);
    };
    const temporary = `${this.setting.temporary}.${this.#phases.indexOf(phase)}`;
    const samplesName = phase === this.#phases.find(({ sockets }) => sockets) ? 'ss' : `ss.${phase.name}`;
    return runPhase(phase, { log: this.log, temporary, children, signal, samplesName, onSample, onPid, onReady });
  }

  #takeEnd(phase: Phase, { end, truncated, failure }: PhaseRun): void {
    this.#ends.set(phase, end);
    this.#truncated ||= truncated;
    if (!phase.optional) this.#cause ??= failure;
  }

  #finish(): void {
    const ending = this.#cause ?? { outcome: 'completed' as const };
    const ends = this.#phases.flatMap((phase) => this.#ends.get(phase) ?? []);
    this.log.finish(finishedEvent(ending, this.facts.startedAt, ends, this.#truncated));
  }

  /** The disk may be full: then the file ends without Finished, and readers are told that it is broken. */
  #tryToFinish(): void {
    try {
      this.#finish();
    } catch {
      // Said by the log to its readers, and by onEnd with the first problem.
    }
  }
}

export function finishedEvent(ending: Ending, startedAt: Date, phases: PhaseEnd[] = [], outputTruncated = false) {
  const said = ending.outcome === 'completed' ? undefined : ending;
  const value = {
    outcome: ending.outcome,
    reason: said?.reason ?? '',
    detail: said?.detail ?? '',
    phases,
    startedAt,
    endedAt: new Date(),
    outputTruncated,
  };
  return { $case: 'finished' as const, value };
}
