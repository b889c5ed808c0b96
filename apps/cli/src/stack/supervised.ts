/** A server that may end by itself: what `@plumbline/embedded` starts. */
export interface Server {
  readonly url: string;
  /** A sentence when it ended by itself, undefined when it was stopped. Never rejects. */
  readonly exited: Promise<string | undefined>;
  stop(): Promise<void>;
}

export interface Supervised {
  readonly url: string;
  /** Resolves with a sentence when the server could not be kept up. Never rejects. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

const MOST_RESTARTS = 5;
const WITHIN_MS = 60_000;

/**
 * Starts a server and starts it again when it ends by itself (killed by the kernel for memory, say): its data are on
 * disk and the control plane waits for it. Five ends within a minute are not bad luck any more; then it is lost.
 * @throws what the first start throws
 */
export async function supervise(
  start: () => Promise<Server>,
  report: (sentence: string) => void,
  nowMs: () => number = () => performance.now(),
): Promise<Supervised> {
  let current = await start();
  const { url } = current;
  let stopping = false;
  let giveUp: (sentence: string) => void = () => {};
  const lost = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  const watch = async (): Promise<void> => {
    const ends: number[] = [];
    // Ends when the server is stopped, or has ended too often, or starts no more.
    while (!stopping) {
      const sentence = await current.exited;
      if (sentence === undefined || stopping) return;
      ends.push(nowMs());
      if (ends.filter((at) => nowMs() - at < WITHIN_MS).length >= MOST_RESTARTS) return giveUp(sentence);
      report(`${sentence} It is started again.`);
      try {
        current = await start();
      } catch (error) {
        return giveUp(error instanceof Error ? error.message : String(error));
      }
      if (current.url !== url) return giveUp(`${sentence} It came back at another address.`);
    }
    // Stopped while it was being started again.
    await current.stop();
  };
  const watching = watch();
  return {
    url,
    lost,
    async stop() {
      stopping = true;
      await current.stop();
      await watching;
    },
  };
}
