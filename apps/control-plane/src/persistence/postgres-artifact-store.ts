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
const BATCH_BYTES = 8 * 1024 * 1024;
const BlobRow = z.object({ encoding: z.string(), bytes: z.instanceof(Buffer) });

export type StoredBytes = Pick<Artifact, 'sizeBytes' | 'sha256'>;

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

  /** Stores bytes ahead of the transaction that ties them to an attempt. @throws {RangeError} past 64 MiB */
  async putBytes(bytes: Buffer): Promise<StoredBytes> {
    const [stored] = await this.putAllBytes([bytes]);
    if (!stored) throw new RangeError('nothing was stored');
    return stored;
  }

  /**
   * The same for several, small ones in one statement: each commit waits for the disk. They may be large, and transactions are
   * short; bytes that nothing is tied to after a crash do no harm, the next attempt to store them finds them there.
   * @throws {RangeError} past 64 MiB
   */
  async putAllBytes(all: readonly Buffer[]): Promise<StoredBytes[]> {
    if (all.some((bytes) => bytes.length > MAX_ARTIFACT_BYTES))
      throw new RangeError(`an artifact has at most ${MAX_ARTIFACT_BYTES} bytes`);
    const blobs = await Promise.all(
      all.map(async (bytes) => {
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        return { sha256, sizeBytes: bytes.length, ...(await encodeBlob(bytes)) };
      }),
    );
    // By their digest, so that two that store the same bytes wait for each other in one order.
    const distinct = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
    distinct.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
    for (const batch of batches(distinct)) {
      const places = batch.map((_, i) => `($${4 * i + 1}, $${4 * i + 2}, $${4 * i + 3}, $${4 * i + 4})`).join(', ');
      const values = batch.flatMap((blob) => [blob.sha256, blob.encoding, blob.encoded, blob.sizeBytes]);
      await this.database.retrying('store artifacts', () =>
        this.database.pool.query(
          `INSERT INTO blob (sha256, encoding, bytes, size_bytes) VALUES ${places} ON CONFLICT DO NOTHING`,
          values,
        ),
      );
    }
    return blobs.map(({ sha256, sizeBytes }) => ({ sha256, sizeBytes }));
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

/** Cuts at 8 MiB or 64 blobs, whichever comes first. */
function batches<T extends { encoded: Buffer }>(blobs: readonly T[]): T[][] {
  const cut: T[][] = [];
  let sizeBytes = Number.POSITIVE_INFINITY;
  for (const blob of blobs) {
    const last = cut.at(-1);
    if (last && last.length < 64 && sizeBytes + blob.encoded.length <= BATCH_BYTES) last.push(blob);
    else {
      cut.push([blob]);
      sizeBytes = 0;
    }
    sizeBytes += blob.encoded.length;
  }
  return cut;
}
