import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOG } from '../http/log-token.js';
import { Database, Settings } from '../persistence/seams.js';
import { isWellFormedToken, makeToken, tokenHash, tokenPrefix } from './token-format.js';

const RETRY_MS = 500;

/**
 * The first token of an installation: `D/admin.token`, 0600, made once. The database knows only its hash and is told again when it
 * does not (a new database under an old folder).
 */
@Injectable()
export class AdminToken implements OnApplicationBootstrap, OnModuleDestroy {
  /** Whether the database knows the token: before that nobody can be let in, so the service is not ready. */
  known = false;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { token, made } = readOrMakeToken(this.settings.dataDir);
    if (made) this.log.info({ file: adminTokenFile(this.settings.dataDir) }, 'made the admin token');
    await this.tell(token, made);
  }

  onModuleDestroy(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }

  /** Tries until it succeeds or we stop; the start itself does not wait for a database that is away. */
  private async tell(token: string, made: boolean): Promise<void> {
    try {
      await this.record(token, made);
      this.known = true;
    } catch (error) {
      if (this.ended) return;
      this.log.warn({ err: error }, 'the database does not know the admin token yet; trying again');
      this.timer = setTimeout(() => void this.tell(token, made), RETRY_MS);
      this.timer.unref();
    }
  }

  private async record(token: string, made: boolean): Promise<void> {
    const { accessToken } = this.database.client;
    const name = `admin.token in ${this.settings.dataDir} on ${hostname()}`;
    // Whoever removed the file wanted another token; the old one is then worth nothing.
    const hash = tokenHash(token);
    if (made)
      await accessToken.updateMany({
        where: { name, revokedAt: null, hash: { not: hash } },
        data: { revokedAt: new Date() },
      });
    await accessToken.createMany({
      data: { name, hash, prefix: tokenPrefix(token), scopes: ['admin'] },
      skipDuplicates: true,
    });
  }
}

export const adminTokenFile = (dataDir: string): string => join(dataDir, 'admin.token');

/**
 * Two processes that start at once in one folder end with one token: the file appears whole and only once.
 * @throws {Error} with a sentence when the file holds something else
 */
export function readOrMakeToken(dataDir: string): { token: string; made: boolean } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = adminTokenFile(dataDir);
  const draft = `${file}.${randomUUID()}`;
  let made = false;
  if (!exists(file)) {
    writeFileSync(draft, `${makeToken()}\n`, { mode: 0o600, flag: 'wx' });
    try {
      linkSync(draft, file);
      made = true;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  const token = readFileSync(file, 'utf8').trim();
  if (!isWellFormedToken(token))
    throw new Error(`${file} does not hold a Plumbline token. Remove it, and a new one is made at the next start.`);
  return { token, made };
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
