import type { SideData } from '@plumbline/analysis';
import { HostSnapshot } from '@plumbline/model';
import type { Api } from '../connection/api.js';
import { Failure } from '../failure.js';
import { followRun } from '../runs/follow.js';
import type { SampleEvent } from '../runs/run-event.js';
import type { Shown } from '../runs/run-progress.js';
import { reasonText } from '../runs/run-text.js';
import { CONGESTION_CONTROL, type Ground, OMIT_S } from './ground.js';
import { PATH } from './register.js';
import { sideData } from './side-data.js';

export interface Measured {
  readonly data: SideData;
  readonly succeeded: boolean;
  /** What the rules say limits it. Absent: it was not diagnosed. */
  readonly headline?: string | undefined;
  /** Why not, in a sentence. */
  readonly problem?: string | undefined;
}

/**
 * Runs a plan over the demonstration's path and gathers what the report needs, all through the API. When `signal` aborts,
 * the run is cancelled.
 * @throws {Failure} when the control plane says no or goes away; the signal's reason when it aborts
 */
export async function measure(
  api: Api,
  ground: Ground,
  side: { readonly label: 'before' | 'after'; readonly plan: string },
  show: (shown: Shown) => void,
  signal: AbortSignal,
): Promise<Measured> {
  const [near, far] = await Promise.all([snapshot(api, ground.client.probe), snapshot(api, ground.server.probe)]);
  const body = { plan: side.plan, paths: [PATH], label: `demonstration, ${side.label}` };
  const { id } = await api.ask(`Starting the run ${side.label}`, api.client.POST('/v1/runs', { body, signal }));
  const samples: SampleEvent[] = [];
  const event = (e: { type: string }): void => {
    if (isSample(e)) samples.push(e);
  };
  const run = await followRun(api, id, { show, event }, signal).catch(async (error: unknown) => {
    if (signal.aborted) await cancel(api, id);
    throw error;
  });
  const leg = run.legs[0];
  if (leg === undefined) throw new Failure(`The run ${id} has no leg.`, { next: `plumb run show ${id}` });
  const data = sideData({
    runId: id,
    startedAt: run.startedAt ?? run.createdAt,
    leg,
    samples,
    near,
    far,
    omitS: OMIT_S,
    congestionControl: CONGESTION_CONTROL,
  });
  if (run.state === 'succeeded' && data.throughputBps !== null && data.rttP50Ms !== null)
    return { data, succeeded: true, headline: leg.diagnosis?.headline };
  const reason = leg.steps.find((s) => s.reason !== undefined)?.reason ?? leg.reason;
  const why =
    data.reasons.throughputBps ?? data.reasons.rttP50Ms ?? (reason && reasonText(reason)) ?? 'a number is missing';
  return { data, succeeded: false, problem: `The run ${side.label} the change is ${run.state}: ${why}` };
}

const isSample = (event: { type: string }): event is SampleEvent => event.type === 'sample';

/** Facts of a host now; their absence is said by the report, and fails nothing. */
async function snapshot(api: Api, probe: string): Promise<HostSnapshot | undefined> {
  const query = { endpoint: 'test' };
  const { data } = await api.client
    .GET('/v1/probes/{name}/snapshot', { params: { path: { name: probe }, query } })
    .catch(() => ({ data: undefined }));
  return HostSnapshot.safeParse(data).data;
}

/** Both ends are told to stop before they are taken away. */
async function cancel(api: Api, id: string): Promise<void> {
  await api.client.POST('/v1/runs/{id}/cancel', { params: { path: { id } } }).catch(() => undefined);
}
