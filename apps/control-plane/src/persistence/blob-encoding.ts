import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** How bytes lie in the store. `identity`: compressing would not have made them smaller. */
export type BlobEncoding = 'identity' | 'gzip' | 'zstd';

/** Compresses off the event loop; with zstd where this Node has it (22.15 and newer), else gzip. */
export async function encodeBlob(bytes: Buffer): Promise<{ encoding: BlobEncoding; encoded: Buffer }> {
  const zstd = typeof zlib.zstdCompress === 'function';
  const encoded = zstd ? await promisify(zlib.zstdCompress)(bytes) : await promisify(zlib.gzip)(bytes);
  return encoded.length < bytes.length
    ? { encoding: zstd ? 'zstd' : 'gzip', encoded }
    : { encoding: 'identity', encoded: bytes };
}

/** @throws {RangeError} for an encoding that no version of ours has written */
export async function decodeBlob(encoding: string, encoded: Buffer): Promise<Buffer> {
  if (encoding === 'identity') return encoded;
  if (encoding === 'gzip') return promisify(zlib.gunzip)(encoded);
  if (encoding === 'zstd') return promisify(zlib.zstdDecompress)(encoded);
  throw new RangeError(`blob encoding ${encoding} is not known`);
}
