import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { lastValueFrom, NEVER, of } from 'rxjs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Deadline, LONGEST_ANSWER_MS, within } from './deadline.js';

afterEach(() => {
  vi.useRealTimers();
});
const context = new ExecutionContextHost([]);

describe('a deadline', () => {
  test('lets an answer through', async () => {
    expect(await lastValueFrom(new Deadline().intercept(context, { handle: () => of('answer') }))).toBe('answer');
    expect(await within(1_000, Promise.resolve(1))).toBe(1);
  });

  test('answers for a handler that never does', async () => {
    vi.useFakeTimers();
    const answer = lastValueFrom(new Deadline().intercept(context, { handle: () => NEVER })).catch(
      (error: unknown) => error,
    );
    await vi.advanceTimersByTimeAsync(LONGEST_ANSWER_MS);
    expect(await answer).toMatchObject({ code: 'database-unavailable' });
    const look = within(50, new Promise(() => undefined)).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(50);
    expect(await look).toMatchObject({ code: 'database-unavailable' });
  });

  test('passes on what fails by itself', async () => {
    await expect(within(1_000, Promise.reject(new Error('mine')))).rejects.toThrow('mine');
  });
});
