import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Artifact } from '@plumbline/model';
import { z } from 'zod';
import { decodeBlob, encodeBlob } from './blob-encoding.js';
import { PostgresDatabase } from './postgres-database.js';
import { ArtifactStore, type Transaction } from './seams.js';

/** The most that one artifact may have (ARCHITECTURE.md, Artifacts). */
export const MAX_ARTIFACT_BYTES = 64 * 1024 * 1024;
const SLICE_BYTES = 256 * 1024;
const BlobRow = z.object({ encoding: z.string(), bytes: z.instanceof(Buffer) });

/** Artifacts in Postgres: the bytes once by their SHA-256, compressed, and a row that ties them to an attempt. */
@Injectable()
export class PostgresArtifactStore extends ArtifactStore {
  constructor(private readonly database: PostgresDatabase) {
    super();
  }

  /** @throws {RangeError} past 64 MiB */
  async put(
    attemptId: string,
    artifact: Omit<Artifact, 'sizeBytes' | 'sha256'>,
    bytes: Buffer,
    client?: Transaction,
  ): Promise<Artifact> {
    const stored = { ...artifact, ...(await this.putBytes(bytes)) };
    await this.tie(attemptId, [stored], client);
    return stored;
  }

  /**
   * Stores bytes ahead of the transaction that ties them to an attempt: they may be large, and transactions are short.
   * Bytes that nothing is tied to after a crash do no harm; the next attempt to store them finds them there.
   * @throws {RangeError} past 64 MiB
   */
  async putBytes(bytes: Buffer): Promise<{ sizeBytes: number; sha256: string }> {
    if (bytes.length > MAX_ARTIFACT_BYTES) throw new RangeError(`an artifact has at most ${MAX_ARTIFACT_BYTES} bytes`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { encoding, encoded } = await encodeBlob(bytes);
    await this.database.retrying('store an artifact', () =>
      this.database.pool.query(
        'INSERT INTO blob (sha256, encoding, bytes, size_bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
        [sha256, encoding, encoded, bytes.length],
      ),
    );
    return { sizeBytes: bytes.length, sha256 };
  }

  /** Ties stored bytes to an attempt; a name that the attempt has already stays as it is. */
  async tie(attemptId: string, artifacts: readonly Artifact[], client?: Transaction): Promise<void> {
    if (artifacts.length === 0) return;
    await (client ?? this.database.client).artifact.createMany({
      data: artifacts.map((artifact) => ({ attemptId, ...artifact })),
      skipDuplicates: true,
    });
  }

  async list(attemptId: string): Promise<Artifact[]> {
    const rows = await this.database.client.artifact.findMany({ where: { attemptId }, orderBy: { name: 'asc' } });
    return rows.map((row) => Artifact.parse({ ...row, sizeBytes: Number(row.sizeBytes) }));
  }

  async open(attemptId: string, name: string): Promise<{ artifact: Artifact; body: Readable } | undefined> {
    const row = await this.database.client.artifact.findUnique({ where: { attemptId_name: { attemptId, name } } });
    if (!row) return undefined;
    const found = await this.database.pool.query('SELECT encoding, bytes FROM blob WHERE sha256 = $1', [row.sha256]);
    const blob = BlobRow.parse(found.rows[0]);
    const bytes = await decodeBlob(blob.encoding, blob.bytes);
    return {
      artifact: Artifact.parse({ ...row, sizeBytes: Number(row.sizeBytes) }),
      body: Readable.from(slices(bytes), { objectMode: false }),
    };
  }
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}
