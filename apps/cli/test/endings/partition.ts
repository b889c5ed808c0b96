import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A unix socket before another one. Cut, it swallows what comes, as a network does that lost the way to a host: no connection
 * ends, no call is refused, nothing arrives. Healed, it lets new connections through; what was said meanwhile is lost.
 */
export class Partition {
  readonly #sockets = new Set<Socket>();
  #cut = false;

  private constructor(
    readonly path: string,
    private readonly server: Server,
  ) {}

  static async before(behind: string, path: string): Promise<Partition> {
    const server = createServer();
    const partition = new Partition(path, server);
    server.on('connection', (client) => partition.#join(client, connect(behind)));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    return partition;
  }

  cut(): void {
    this.#cut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  heal(): void {
    this.#cut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
  }

  #join(client: Socket, probe: Socket): void {
    for (const [from, to] of [
      [client, probe],
      [probe, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => from.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#cut) from.pause();
    }
  }
}
