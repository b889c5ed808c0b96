import type { Phase } from '@plumbline/measure';
import { type Ending, ended } from '@plumbline/model';
import type { PhaseEnd } from '@plumbline/probe-rpc';
import type { Children } from '../children.js';
import type { AttemptLog } from '../spool/attempt-log.js';
import type { AttemptFacts, Spooled } from '../spool/spool.js';
import { runPhase } from './phase.js';

export interface AttemptSetting {
  readonly phases: readonly Phase[];
  readonly longestMs: number;
  /** A folder of the attempt's own for temporary files. */
  readonly temporary: string;
  readonly children: Children;
  /** Called when it has ended, whatever happened: gives ports back, tells the log of the probe. */
  readonly onEnd: (ending: Ending, problem?: unknown) => void;
  readonly onSample?: () => void;
}

/** One attempt that runs: its programs one after another, its one ending, the first cause. */
export class RunningAttempt implements Spooled {
  readonly done: Promise<void>;
  readonly #stop = new AbortController();
  readonly #ends: PhaseEnd[] = [];
  #cause: Ending | undefined;
  #truncated = false;
  #pid: number | undefined;

  constructor(
    readonly facts: AttemptFacts,
    readonly log: AttemptLog,
    private readonly setting: AttemptSetting,
  ) {
    const timer = setTimeout(() => {
      void this.end(ended('deadline-exceeded', `It ran for more than ${setting.longestMs} ms.`));
    }, setting.longestMs);
    this.done = this.#run().finally(() => clearTimeout(timer));
  }

  /** Of the program that runs; undefined between programs. */
  get pid(): number | undefined {
    return this.#pid;
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
      // Ends with the last phase: each has its timeout, and the attempt its longest duration.
      for (const phase of this.setting.phases) {
        if (this.#cause) break;
        await this.#runPhase(phase);
      }
      this.#finish();
    } catch (error) {
      problem = error;
      this.#cause ??= ended('internal-error', error instanceof Error ? error.message : String(error));
      this.#tryToFinish();
    }
    this.setting.onEnd(this.#cause ?? { outcome: 'completed' }, problem);
  }

  async #runPhase(phase: Phase): Promise<void> {
    const { temporary, children, onSample } = this.setting;
    const onPid = (pid: number | undefined): void => {
      this.#pid = pid;
    };
    const { signal } = this.#stop;
    const run = await runPhase(phase, { log: this.log, temporary, children, signal, onSample, onPid });
    this.#ends.push(run.end);
    this.#truncated ||= run.truncated;
    if (!phase.optional) this.#cause ??= run.failure;
  }

  #finish(): void {
    const ending = this.#cause ?? { outcome: 'completed' as const };
    this.log.finish(finishedEvent(ending, this.facts.startedAt, this.#ends, this.#truncated));
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
