import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ProblemError } from '@plumbline/model';
import { type Observable, race, throwError, timer } from 'rxjs';
import { mergeMap } from 'rxjs/operators';
import { RETRY } from './problem-of.js';

/** Longer than every wait that a handler has of its own; what is still silent then is Postgres. */
export const LONGEST_ANSWER_MS = 10_000;

/** No request waits for ever: a database that accepts connections and says nothing is as good as gone. */
@Injectable()
export class Deadline implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const late = timer(LONGEST_ANSWER_MS).pipe(mergeMap(() => throwError(() => tooLate())));
    return race(next.handle(), late);
  }
}

const tooLate = (ms = LONGEST_ANSWER_MS) =>
  new ProblemError(
    'database-unavailable',
    `No answer within ${ms / 1000} s. Try again in a few seconds.`,
    undefined,
    RETRY,
  );

/** For what asks the database outside a handler. @throws {ProblemError} database-unavailable when `work` has not ended after `ms` */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let stop: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    stop = setTimeout(() => reject(tooLate(ms)), ms);
  });
  // Ends with the work or with the timer.
  return Promise.race([work, late]).finally(() => clearTimeout(stop));
}
