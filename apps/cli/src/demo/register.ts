import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../connection/api.js';
import { Failure } from '../failure.js';
import type { DemoHost, Ground } from './ground.js';
import type { DemoProbe } from './probe-process.js';

export const SITE = 'demo';
export const PATH = 'demo-path';

/** Names the site, both probes, the path and the plans, as a user would. What an earlier start named is brought up to date. */
export async function registerAll(
  api: Api,
  ground: Ground,
  probes: { readonly client: DemoProbe; readonly server: DemoProbe },
  signal: AbortSignal,
): Promise<void> {
  const { client } = api;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  await api.ask(
    'Naming the site',
    client.PUT('/v1/sites/{name}', { params: { path: { name: SITE } }, body: { timeZone } }),
  );
  await registerProbe(api, ground.client, probes.client, signal);
  await registerProbe(api, ground.server, probes.server, signal);
  await api.ask(
    'Naming the path',
    client.PUT('/v1/paths/{name}', {
      params: { path: { name: PATH } },
      body: {
        ...ground.path,
        source: { probe: ground.client.probe, endpoint: ground.client.endpoint.name },
        destination: { probe: ground.server.probe, endpoint: ground.server.endpoint.name },
      },
    }),
  );
  for (const { plan: name, tests } of [ground, ground.after])
    await api.ask(
      'Storing the plan',
      client.PUT('/v1/plans/{name}', { params: { path: { name } }, body: { tests: [...tests] } }),
    );
}

/** How long the control plane may take to notice a probe that it had given up on before this start. */
const REACHED_WITHIN_MS = 20_000;
const AGAIN_AFTER_MS = 300;

async function registerProbe(api: Api, host: DemoHost, { address }: DemoProbe, signal: AbortSignal): Promise<void> {
  const { client } = api;
  const { probe: name, endpoint } = host;
  const body = { site: SITE, address, endpoints: [{ ...endpoint }] };
  const what = `Registering the probe ${name}`;
  const path = { name };
  const until = performance.now() + REACHED_WITHIN_MS;
  // Ends when it is registered, when that fails for another reason, or after REACHED_WITHIN_MS.
  for (;;) {
    try {
      const known = (
        await api.ask('Listing probes', client.GET('/v1/probes', { params: { query: { pageSize: 200 } } }))
      ).items.some((p) => p.name === name);
      await (known
        ? api.ask(what, client.PATCH('/v1/probes/{name}', { params: { path }, body }))
        : api.ask(what, client.POST('/v1/probes', { body: { name, ...body } })));
      return;
    } catch (error) {
      const mayCome = error instanceof Failure && error.code === 'probe-unreachable';
      if (!mayCome || performance.now() > until) throw error;
    }
    await delay(AGAIN_AFTER_MS, undefined, { signal });
  }
}
