import { describe, expect, it } from 'vitest';
import { type Server, supervise } from './supervised.js';

interface Fake extends Server {
  end(sentence?: string): void;
  readonly stopped: boolean;
}

function fakes() {
  const started: Fake[] = [];
  const start = async (): Promise<Fake> => {
    let end: (sentence?: string) => void = () => {};
    const exited = new Promise<string | undefined>((resolve) => {
      end = resolve;
    });
    const fake = {
      url: 'unix:///x',
      exited,
      end,
      stopped: false,
      async stop() {
        fake.stopped = true;
        end(undefined);
      },
    };
    started.push(fake);
    return fake;
  };
  return { started, start };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a supervised server', () => {
  it('is started again when it ends by itself', async () => {
    const { started, start } = fakes();
    const said: string[] = [];
    const server = await supervise(start, (s) => said.push(s));
    started[0]?.end('redis ended by itself.');
    await settle();
    expect(started).toHaveLength(2);
    expect(said).toEqual(['redis ended by itself. It is started again.']);
    await server.stop();
    expect(started[1]?.stopped).toBe(true);
  });

  it('is not started again after it was stopped', async () => {
    const { started, start } = fakes();
    const server = await supervise(start, () => {});
    await server.stop();
    await settle();
    expect(started).toHaveLength(1);
  });

  it('is lost after five ends within a minute, and not before', async () => {
    const { started, start } = fakes();
    let nowMs = 0;
    const server = await supervise(
      start,
      () => {},
      () => nowMs,
    );
    for (let i = 0; i < 4; i++, nowMs += 100) {
      started[i]?.end(`end ${i}`);
      await settle();
      expect(started).toHaveLength(i + 2);
    }
    started[4]?.end('end 4');
    expect(await server.lost).toBe('end 4');
    expect(started).toHaveLength(5);
  });

  it('forgives ends that lie far apart', async () => {
    const { started, start } = fakes();
    let nowMs = 0;
    const server = await supervise(
      start,
      () => {},
      () => nowMs,
    );
    for (let i = 0; i < 12; i++, nowMs += 40_000) {
      started[i]?.end('again');
      await settle();
    }
    expect(started).toHaveLength(13);
    await server.stop();
  });

  it('is lost when it starts no more', async () => {
    const { started, start } = fakes();
    let first = true;
    const server = await supervise(
      async () => {
        if (!first) throw new Error('the disk is full');
        first = false;
        return start();
      },
      () => {},
    );
    started[0]?.end('it ended');
    expect(await server.lost).toBe('the disk is full');
  });
});
