import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SseParser } from './sse-parser.js';

const stream =
  'retry: 1000\n\n: alive\n\nid: 1\nevent: run\ndata: {"a":1}\n\nid:2\r\ndata: x\r\ndata:y\r\n\r\ndata\n\nid: 3\rdata: z\r\r: end\nid: 4\ndata: cut';
const messages = [
  { id: '1', event: 'run', data: '{"a":1}' },
  { id: '2', event: 'message', data: 'x\ny' },
  { id: '2', event: 'message', data: '' },
  { id: '3', event: 'message', data: 'z' },
];

describe('an event stream', () => {
  test('is the same however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 20 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), stream.length];
        const parser = new SseParser();
        const heard = at.slice(1).flatMap((end, i) => parser.push(stream.slice(at[i], end)));
        expect(heard).toEqual(messages);
      }),
    );
  });

  test('without an empty line has no message yet', () => {
    const parser = new SseParser();
    expect(parser.push('id: 1\ndata: a\n')).toEqual([]);
    expect(parser.push('\n')).toEqual([{ id: '1', event: 'message', data: 'a' }]);
  });

  test('keeps an id for messages that have none, and takes none with NUL', () => {
    expect(new SseParser().push('id: 7\n\ndata: a\n\nid: 8\0\ndata: b\n\n').map((m) => m.id)).toEqual(['7', '7']);
  });
});
