import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { PhaseGroup } from '@plumbline/measure';
import type { Logger } from 'pino';
import type { Children } from '../children.js';
import type { Spool } from '../spool/spool.js';
import { RunningAttempt } from './attempt.js';
import type { Attempts, Side } from './attempts.js';
import type { Asked } from './prepare.js';

/** Puts attempts on their way, once everything has been checked and the interface is theirs. */
export class Starter {
  constructor(
    private readonly attempts: Attempts,
    private readonly spool: Spool,
    private readonly children: Children,
    private readonly temporary: string,
    private readonly now: () => Date,
    private readonly logger: Logger,
  ) {}

  start(
    asked: Asked,
    side: Side,
    groups: readonly PhaseGroup[],
    hooks: { readonly onEnd: () => void; readonly onSample?: () => void },
  ): RunningAttempt {
    const { id, claim, claimed, endpoint, kind, longestMs } = asked;
    const facts = { id, side, legId: claim.legId, ...claimed, endpoint: endpoint.name, kind, startedAt: this.now() };
    const about = { attempt: id, leg: claim.legId, fence: claim.fence.toString(), side, kind, endpoint: endpoint.name };
    this.logger.info(about, 'attempt starts');
    const attempt = new RunningAttempt(facts, this.spool.create(facts), {
      groups,
      longestMs,
      temporary: join(this.temporary, randomUUID()),
      children: this.children,
      onSample: hooks.onSample,
      onEnd: (ending, problem) => {
        hooks.onEnd();
        if (problem === undefined) this.logger.info({ ...about, ...ending }, 'attempt ended');
        else this.logger.error({ ...about, ...ending, err: problem }, 'attempt ended by a mistake of ours');
      },
    });
    this.attempts.add(attempt);
    return attempt;
  }
}
