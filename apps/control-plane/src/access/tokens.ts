import { Injectable } from '@nestjs/common';
import { ProblemError } from '@plumbline/model';
import { Database } from '../persistence/seams.js';
import { isWellFormedToken, tokenHash } from './token-format.js';

/** Who asks: the token that came with a request. */
export interface Caller {
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

/** How exact `last used` is; a write for every request would cost more than the answer. */
const LAST_USED_EXACT_MS = 60_000;

@Injectable()
export class Tokens {
  constructor(private readonly database: Database) {}

  /** @throws {ProblemError} unauthorized, with why */
  async callerOf(authorization: string | undefined): Promise<Caller> {
    const token = bearerToken(authorization);
    if (token === undefined) throw unauthorized('Send the token as Authorization: Bearer TOKEN.', false);
    if (!isWellFormedToken(token)) throw unauthorized('The token is mistyped or cut: its checksum does not fit.');
    const row = await this.database.client.accessToken.findUnique({ where: { hash: tokenHash(token) } });
    if (!row) throw unauthorized('The token is not known here.');
    if (row.revokedAt) throw unauthorized('The token was revoked.');
    if (row.expiresAt && row.expiresAt.getTime() <= Date.now())
      throw unauthorized(`The token expired at ${row.expiresAt.toISOString()}.`);
    this.noteUse(row.id, row.lastUsedAt);
    return { tokenId: row.id, name: row.name, scopes: row.scopes };
  }

  private noteUse(id: string, lastUsedAt: Date | null): void {
    const now = new Date();
    if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < LAST_USED_EXACT_MS) return;
    // A remark on the record: the request does not wait for it and does not fail with it.
    this.database.client.accessToken.updateMany({ where: { id }, data: { lastUsedAt: now } }).catch(() => undefined);
  }
}

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(authorization ?? '')?.[1];

/** RFC 6750, section 3: no error code when the request carried no token at all. */
export const unauthorized = (detail: string, sent = true): ProblemError =>
  new ProblemError('unauthorized', detail, undefined, {
    'www-authenticate': sent ? 'Bearer realm="plumbline", error="invalid_token"' : 'Bearer realm="plumbline"',
  });
