import { type End, type Ending, ended } from '@plumbline/model';
import type { ExecuteRequest, ProbeConnection } from '@plumbline/probe-rpc';
import { TIMING } from '../timing.js';
import {
  type AttemptTask,
  Cause,
  claimOf,
  ENDS,
  endpointOf,
  onOneProbe,
  specOf,
  unreachableReason,
} from './attempt-task.js';
import type { Consent } from './consent.js';
import { type Followed, followEnd } from './end-follower.js';
import { type Change, EndRecord } from './end-record.js';
import { firstCause } from './endings.js';
import { pause, within } from './waiting.js';

/** What the conduct of an attempt needs from outside. */
export interface Hands {
  readonly connect: (end: End) => Promise<ProbeConnection>;
  /** Tells a probe to end the attempt now. Never throws. @returns whether it answered */
  readonly stop: (end: End, reason: string) => Promise<boolean>;
  readonly onChange: (end: End, change: Change) => void;
  readonly onBreak: () => void;
}

export interface Conducted {
  readonly records: Readonly<Record<End, EndRecord>>;
  readonly ending: Ending;
  /** What became of the far side, by its own word or by its silence; absent: nothing is known, or it has no part in it. */
  readonly far?: Ending;
  /** Ends whose probe never confirmed that nothing of the attempt runs there. */
  readonly unconfirmed: readonly End[];
  /** Whether a program was started. */
  readonly ran: boolean;
}

/** How long the near side may take to tell its end after it was stopped. */
const STOP_PATIENCE_MS = 5_000;

/** Runs one attempt at both probes from Execute to the last event: follows both ends, and ends the other when one is over. */
export class AttemptConduct {
  readonly records: Record<End, EndRecord> = { near: new EndRecord('near'), far: new EndRecord('far') };
  private readonly startedAt = performance.now();
  private readonly nearOver = new AbortController();
  private readonly farOver = new AbortController();
  private readonly stopped = new Set<End>();
  private nearBroken = false;
  private nearSpoke: () => void = () => undefined;
  private readonly nearHasSpoken = new Promise<void>((resolve) => {
    this.nearSpoke = resolve;
  });

  constructor(
    private readonly task: AttemptTask,
    private readonly cause: Cause,
    private readonly hands: Hands,
    private readonly over: AbortSignal,
  ) {}

  /** @param consent absent: only attach, the attempt was begun by another owner */
  async run(consent: Consent | undefined): Promise<Conducted | { unknown: true }> {
    const watches = this.watchTime();
    const stopping = this.stopOnCause();
    try {
      const far = this.hasFarStream(consent) ? this.followFar() : Promise.resolve<Followed>({ how: 'finished' });
      if (consent && onOneProbe(this.task) && this.task.ability.hasServer) await this.farSpoke();
      const near = await this.follow('near', consent, AbortSignal.any([this.over, this.nearOver.signal]));
      this.nearSpoke();
      if (near.how === 'unknown' && consent === undefined && this.records.near.after === 0n && !this.cause.ending) {
        this.farOver.abort();
        return { unknown: true };
      }
      this.judgeNear(near);
      const farEnd = await this.finishFar(near, far);
      return this.conducted(near, farEnd);
    } finally {
      for (const watch of watches) clearTimeout(watch);
      this.farOver.abort();
      stopping();
    }
  }

  private get longestMs(): number {
    return this.task.prepared.longestDurationMs;
  }

  /** Since the attempt's row was made, whoever owned it then. */
  private get ageMs(): number {
    return performance.now() - this.startedAt + (this.task.resumed?.ageMs ?? 0);
  }

  /**
   * The probe ends an attempt that runs too long by itself; this is for one that does not. While the probe is away nothing is
   * known of that: then it is lost, unless even that does not come about. One that was taken over after its time may have
   * ended long ago, or never begun: its probe gets the time to say so.
   */
  private watchTime(): NodeJS.Timeout[] {
    const tooLong = (): void => this.cause.set(ended('deadline-exceeded'));
    const leftMs = this.longestMs - this.ageMs;
    return [
      setTimeout(
        () => !this.nearBroken && tooLong(),
        Math.max(this.task.resumed ? TIMING.lostAfterMs : 0, leftMs + TIMING.lostAfterMs / 2),
      ),
      setTimeout(tooLong, Math.max(TIMING.lostAfterMs, leftMs + 2 * TIMING.lostAfterMs)),
    ];
  }

  private follow(end: End, consent: Consent | undefined, signal: AbortSignal): Promise<Followed> {
    const attach: Partial<ExecuteRequest> = {
      claim: claimOf(this.task),
      endpoint: endpointOf(this.task, end).endpoint,
      attachOnly: true,
    };
    const first =
      end === 'near' && consent
        ? { ...attach, spec: specOf(this.task), grant: consent.grant, peerJson: consent.peerJson, attachOnly: false }
        : attach;
    const latest = performance.now() + Math.max(TIMING.reachMs, this.longestMs + TIMING.lostAfterMs - this.ageMs);
    return followEnd({
      record: this.records[end],
      connect: () => this.hands.connect(end),
      first,
      attach,
      firstUntil: consent ? performance.now() + TIMING.reachMs : latest,
      until: () => (end === 'far' && onOneProbe(this.task) ? 0 : latest),
      onChange: (change) => {
        if (end === 'near') {
          this.nearBroken = false;
          this.nearSpoke();
        }
        this.hands.onChange(end, change);
      },
      onBreak: () => {
        if (end === 'near') this.nearBroken = true;
        this.hands.onBreak();
      },
      signal,
    });
  }

  private async followFar(): Promise<Followed> {
    const far = await this.follow('far', undefined, AbortSignal.any([this.over, this.farOver.signal]));
    if (far.how !== 'unknown' && this.records.far.ending?.outcome !== 'lost') return far;
    // Without a word from the near side there may be nothing that could be lost: an earlier owner never began it.
    await this.nearHasSpoken;
    if (this.records.near.after > 0n && !this.records.near.finished) this.cause.set(ended('far-probe-lost'));
    return far;
  }

  /** A probe that is both ends gives the near side's stream once that exists: the far one cannot be attached to again. */
  private hasFarStream(consent: Consent | undefined): boolean {
    return this.task.ability.hasServer && (consent !== undefined || !onOneProbe(this.task));
  }

  /** With both ends on one probe the far side must be attached to before the near side takes the same id. */
  private async farSpoke(): Promise<void> {
    // Ends: when the far side's first event is there, or after 300 ms.
    for (let i = 0; i < 30 && this.records.far.after === 0n && !this.over.aborted; i++) await pause(10);
  }

  private judgeNear(near: Followed): void {
    if (near.how === 'refused') this.cause.set(near.ending);
    else if (near.how === 'unknown') this.cause.set(ended('probe-lost'));
    else if (near.how === 'away')
      this.cause.set(
        ended(
          this.records.near.after > 0n || this.task.resumed?.started
            ? 'probe-lost'
            : unreachableReason(this.task, 'near'),
        ),
      );
  }

  /** Lets the far side end by itself for a moment after a good test; else, and after that, ends it. */
  private async finishFar(near: Followed, far: Promise<Followed>): Promise<Followed | undefined> {
    if (!this.task.ability.hasServer) return far;
    const good = near.how === 'finished' && this.records.near.ending?.outcome === 'completed';
    const byItself = good ? await within(far, TIMING.farEndMs) : undefined;
    if (byItself) return byItself;
    const answered = await this.stop('far', this.cause.reason ?? 'interrupted');
    const ended = await within(far, answered ? TIMING.stopMs : TIMING.farLostMs);
    return ended ?? (answered ? { how: 'finished' } : { how: 'away' });
  }

  private conducted(near: Followed, far: Followed | undefined): Conducted {
    const { records, cause } = this;
    const nearEnding = records.near.ending;
    const away = far?.how === 'away' && !onOneProbe(this.task) ? ended('far-probe-lost') : undefined;
    const failed = cause.ending === undefined && nearEnding?.outcome !== 'completed';
    if (failed && away) cause.set(away);
    const farEnding = records.far.ending ?? away;
    // Past its longest duration (and what setting it up took) the probe itself has ended it.
    const mayRun = this.ageMs < this.longestMs + TIMING.respondMs;
    const unconfirmed = ENDS.filter((end) => {
      if (!mayRun) return false;
      const followed = end === 'near' ? near : far;
      return !records[end].finished && followed?.how === 'away' && !this.stopped.has(end);
    });
    return {
      records,
      ending: firstCause({ cause: cause.ending, near: nearEnding, far: records.far.ending }),
      ...(farEnding ? { far: farEnding } : {}),
      unconfirmed,
      ran: records.near.started.length > 0,
    };
  }

  /** Whatever ends the attempt from our side ends it at both probes, again and again until they have answered. */
  private stopOnCause(): () => void {
    let patience: NodeJS.Timeout | undefined;
    const stopBoth = (): void => {
      for (const end of ENDS) if (end === 'near' || this.task.ability.hasServer) void this.stopUntilAnswered(end);
      patience = setTimeout(() => this.nearOver.abort(), STOP_PATIENCE_MS);
    };
    if (this.cause.signal.aborted) stopBoth();
    else this.cause.signal.addEventListener('abort', stopBoth, { once: true });
    return () => {
      clearTimeout(patience);
      this.cause.signal.removeEventListener('abort', stopBoth);
    };
  }

  private async stopUntilAnswered(end: End): Promise<void> {
    // Ends: when the probe has answered, this end has finished, or after five tries.
    for (let tries = 0; tries < 5 && !this.over.aborted && !this.records[end].finished; tries++) {
      if (await this.stop(end, this.cause.reason ?? 'interrupted')) return;
      await pause(300);
    }
  }

  private async stop(end: End, reason: string): Promise<boolean> {
    if (this.over.aborted) return false;
    const answered = await this.hands.stop(end, reason);
    if (answered) this.stopped.add(end);
    return answered;
  }
}
