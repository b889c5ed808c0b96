import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { allowedMethods } from './allowed-methods.js';
import { canonicalHash, canonicalJson } from './canonical.js';
import { sseEvent } from './sse.js';
import { WakeUp } from './wake-up.js';

describe('allowed methods', () => {
  const routes = [
    { method: 'GET', url: '/v1/sites' },
    { method: 'PUT', url: '/v1/sites/:name' },
    { method: 'GET', url: '/v1/sites/:name' },
    { method: 'POST', url: '/v1/runs/:id/cancel' },
  ];
  test.each<[string, string[]]>([
    ['/v1/sites', ['GET']],
    ['/v1/sites/ber', ['GET', 'PUT']],
    ['/v1/sites/', []],
    ['/v1/runs/1/cancel', ['POST']],
    ['/v1/runs/1', []],
    ['/v1/runs//cancel', []],
  ])('of %s', (path, methods) => expect(allowedMethods(routes, path)).toEqual(methods));
});

describe('canonical JSON', () => {
  test('does not see the order of keys, but that of items', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
    expect(canonicalHash({ a: 1, b: 2 })).toBe(canonicalHash({ b: 2, a: 1 }));
    expect(canonicalHash([1, 2])).not.toBe(canonicalHash([2, 1]));
    expect(canonicalHash({ a: undefined })).toBe(canonicalHash({}));
  });
});

test('an event is framed in lines that no text of its data can break', () => {
  const frame = sseEvent({ id: 7, event: 'log', data: { text: 'a\n\nid: 9\r\nevent: run\u2028' } });
  expect(frame.split('\n').map((line) => line.split(':')[0])).toEqual(['id', 'event', 'data', '', '']);
  expect(JSON.parse(frame.split('\n')[2]?.slice('data: '.length) ?? '')).toEqual({
    text: 'a\n\nid: 9\r\nevent: run\u2028',
  });
});

describe('waking up', () => {
  test('at a ring, also one that nobody waited for, or after the time', async () => {
    const bell = new WakeUp();
    bell.ring();
    bell.ring();
    await bell.wait(60_000);
    const second = bell.wait(60_000);
    const early = await Promise.race([second.then(() => 'rung'), sleep(20, 'quiet')]);
    expect(early).toBe('quiet');
    bell.ring();
    await second;
    await bell.wait(1);
  });
});
