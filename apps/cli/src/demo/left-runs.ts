import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../connection/api.js';
import { Failure } from '../failure.js';

/** A cancelled run ends within seconds, also when its probes are away: pursuit of them goes on by itself. */
const ENDED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * Cancels the runs that an earlier start left on a path, and waits until they have ended: the path is about to be another
 * one, and a run half of which was measured on each would say nothing.
 * @returns their ids
 * @throws {Failure} when one does not end in time
 */
export async function cancelLeftRuns(api: Api, path: string, signal: AbortSignal): Promise<string[]> {
  const left = await openRuns(api, path);
  for (const id of left) await cancelRun(api, id);
  const until = performance.now() + ENDED_WITHIN_MS;
  // Ends when none of them is open, when the signal aborts, or after ENDED_WITHIN_MS.
  for (let open = left; open.length > 0; open = await openRuns(api, path)) {
    if (performance.now() > until)
      throw new Failure(`The run ${open[0]} of an earlier start still goes on over ${path}.`, {
        next: `plumb run show ${open[0]}`,
      });
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
  return left;
}

async function openRuns(api: Api, path: string): Promise<string[]> {
  const lists = await Promise.all(
    (['queued', 'running'] as const).map((state) =>
      api.ask('Listing runs', api.client.GET('/v1/runs', { params: { query: { state, path, pageSize: 200 } } })),
    ),
  );
  return lists.flatMap(({ items }) => items.map(({ id }) => id));
}

/** One that has ended in between needs no cancelling. */
async function cancelRun(api: Api, id: string): Promise<void> {
  try {
    await api.ask('Cancelling a run', api.client.POST('/v1/runs/{id}/cancel', { params: { path: { id } } }));
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'conflict')) throw error;
  }
}
