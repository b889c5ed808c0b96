import { describe, expect, it } from 'vitest';
import { apiOf } from '../connection/api.js';
import { cancelLeftRuns } from './left-runs.js';

/** A control plane that has these runs on each path; a cancelled one ends at the second look after that. */
function fakeApi(running: readonly { id: string; path: string }[]) {
  const cancelled: string[] = [];
  let looks = 0;
  const answer = (status: number, body: unknown) =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  const fetch = async (input: Request): Promise<Response> => {
    const url = new URL(input.url);
    const id = /runs\/([^/]+)\/cancel$/.exec(url.pathname)?.[1];
    if (id !== undefined) {
      cancelled.push(id);
      return answer(200, { id, state: 'running' });
    }
    if (url.searchParams.get('state') === 'queued') return answer(200, { items: [] });
    looks += 1;
    const open = running.filter((r) => r.path === url.searchParams.get('path'));
    return answer(200, { items: looks > 2 ? [] : open.map((r) => ({ id: r.id })) });
  };
  const api = apiOf({ server: 'http://127.0.0.1:1', token: 't' }, fetch as typeof globalThis.fetch);
  return { api, cancelled, looks: () => looks };
}

describe('runs that an earlier start left', () => {
  it('are cancelled, and waited for, before the path changes under them', async () => {
    const { api, cancelled, looks } = fakeApi([
      { id: 'one', path: 'demo-path' },
      { id: 'two', path: 'another' },
    ]);
    expect(await cancelLeftRuns(api, 'demo-path', new AbortController().signal)).toEqual(['one']);
    expect(cancelled).toEqual(['one']);
    expect(looks()).toBe(3);
  });

  it('are none: nothing is cancelled', async () => {
    const { api, cancelled } = fakeApi([]);
    expect(await cancelLeftRuns(api, 'demo-path', new AbortController().signal)).toEqual([]);
    expect(cancelled).toEqual([]);
  });
});
