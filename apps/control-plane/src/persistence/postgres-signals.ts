import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import { PostgresDatabase } from './postgres-database.js';
import { Settings, Signals, type Transaction } from './seams.js';

type Channel = Parameters<Signals['listen']>[0];
type Handler = (payload: string) => void;
const CHANNELS: readonly Channel[] = ['dispatch', 'run_event', 'cancel'];
/** How often the listening connection is asked whether it lives, and how long it may take to answer. */
const CHECK_MS = 5_000;

/** LISTEN on one connection of its own, NOTIFY through the pool. */
@Injectable()
export class PostgresSignals extends Signals implements OnModuleInit, OnApplicationShutdown {
  private readonly handlers = new Map<Channel, Set<Handler>>(CHANNELS.map((channel) => [channel, new Set()]));
  private readonly log = new Logger('Signals');
  private connection: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private connectedBefore = false;
  private closed = false;

  constructor(
    private readonly settings: Settings,
    private readonly database: PostgresDatabase,
  ) {
    super();
  }

  /** Starts listening; does not wait for Postgres, so that a process starts while Postgres does. */
  onModuleInit(): void {
    void this.connect(0);
  }

  async notify(channel: Channel, payload: string, client?: Transaction): Promise<void> {
    const executor = client ?? this.database.client;
    await executor.$executeRaw`SELECT pg_notify(${channel}, ${payload})`;
  }

  listen(channel: Channel, handler: Handler): () => void {
    this.handlers.get(channel)?.add(handler);
    return () => this.handlers.get(channel)?.delete(handler);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    const connection = this.connection;
    this.connection = undefined;
    if (connection) await endWithin(connection, 500);
  }

  private async connect(tries: number): Promise<void> {
    if (this.closed) return;
    const connection = new pg.Client({
      connectionString: this.settings.databaseUrl,
      application_name: `plumbline ${this.settings.replica} listen`,
      connectionTimeoutMillis: 5_000,
      query_timeout: CHECK_MS,
      keepAlive: true,
    });
    connection.on('notification', ({ channel, payload }) => this.deliver(channel, payload ?? ''));
    connection.on('error', () => this.reconnect(connection, 0));
    connection.on('end', () => this.reconnect(connection, 0));
    this.connection = connection;
    try {
      await connection.connect();
      await connection.query(CHANNELS.map((channel) => `LISTEN ${channel}`).join('; '));
      if (this.connectedBefore) for (const channel of CHANNELS) this.deliver(channel, '');
      this.connectedBefore = true;
      this.check(connection);
    } catch {
      this.reconnect(connection, tries + 1);
    }
  }

  /** Asks the connection again and again whether it lives: a peer that vanished without a word is noticed too. */
  private check(connection: pg.Client): void {
    if (this.closed || this.connection !== connection) return;
    this.timer = setTimeout(() => {
      connection.query('SELECT 1').then(
        () => this.check(connection),
        () => this.reconnect(connection, 0),
      );
    }, CHECK_MS);
    this.timer.unref();
  }

  private reconnect(broken: pg.Client, tries: number): void {
    if (this.closed || this.connection !== broken) return;
    this.connection = undefined;
    clearTimeout(this.timer);
    void endWithin(broken, 500);
    if (tries === 4) this.log.warn('Postgres does not answer; listening again as soon as it does');
    this.timer = setTimeout(() => void this.connect(tries), Math.min(100 * 2 ** Math.min(tries, 4), 1_000));
    this.timer.unref();
  }

  private deliver(channel: string, payload: string): void {
    for (const known of CHANNELS) {
      if (known !== channel) continue;
      for (const handler of this.handlers.get(known) ?? []) {
        try {
          handler(payload);
        } catch (error) {
          this.log.error(`a listener on ${channel} threw`, error);
        }
      }
    }
  }
}

/** Ends a connection without ever failing or waiting longer than `ms`. */
async function endWithin(connection: pg.Client, ms: number): Promise<void> {
  connection.on('error', () => undefined);
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    timer.unref();
  });
  await Promise.race([connection.end().catch(() => undefined), expired]);
  clearTimeout(timer);
}
