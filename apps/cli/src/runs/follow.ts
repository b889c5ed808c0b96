import type { Run } from '@plumbline/api-client';
import type { Api } from '../connection/api.js';
import { parseRunEvent, type RunProgressEvent } from './run-event.js';
import { RunProgress, type Shown } from './run-progress.js';

export interface Watcher {
  /** A line of progress to show. */
  show?(shown: Shown): void;
  /** Every event that could be read, live ones in full. */
  event?(event: RunProgressEvent): void;
}

/**
 * Waits for a run's end.
 * @returns the run document then
 * @throws {Failure} when the control plane goes away for a minute; the signal's reason when it aborts
 */
export async function followRun(api: Api, id: string, watcher: Watcher, signal: AbortSignal): Promise<Run> {
  const get = (): Promise<Run> =>
    api.ask(
      'Looking at the run',
      api.client.GET('/v1/runs/{id}', { params: { path: { id } }, signal }),
      'plumb run list',
    );
  const begun = await get();
  const progress = new RunProgress(
    begun.plan.tests.map((t) => t.name ?? t.kind),
    begun.legs.map((l) => l.path),
  );
  if (begun.state === 'queued') watcher.show?.({ heading: 'queued', news: '' });
  // Ends with the run, which the control plane bounds; or when the signal aborts.
  for await (const message of api.events(id, { signal })) {
    const event = parseRunEvent(message.event, message.data);
    if (event === undefined) continue;
    watcher.event?.(event);
    const shown = progress.take(event);
    if (shown !== undefined) watcher.show?.(shown);
  }
  return get();
}
