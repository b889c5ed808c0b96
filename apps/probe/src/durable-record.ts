import { createHash } from 'node:crypto';
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { writeDurably } from './durable.js';

/** Enough for the marks of a hundred interfaces; a longer text makes the file anew with larger places. */
const SMALLEST_PLACE_BYTES = 8192;
const HEADER = /^(\d+) (\d+) ([0-9a-f]{16}) /;

interface Place {
  readonly version: number;
  readonly text: string;
}

/**
 * A small text on disk that is replaced in place, in a file of two places that are written by turns: a crash in the middle of a
 * write spoils the older text only. No name and no size changes, so that the file system has nothing to put into its journal:
 * on ext4 a fiftieth of what a new file and its rename cost.
 */
export class DurableRecord {
  #descriptor: number | undefined;
  #version = 0;
  #placeBytes = 0;

  constructor(private readonly file: string) {}

  /**
   * @returns undefined when there is no file yet
   * @throws {Error} when neither place holds a whole text
   */
  read(): string | undefined {
    if (!existsSync(this.file)) return undefined;
    const bytes = readFileSync(this.file);
    const half = bytes.length / 2;
    const places = [bytes.subarray(0, half), bytes.subarray(half)].flatMap((place) => parse(place) ?? []);
    const newest = places.sort((a, b) => a.version - b.version).at(-1);
    if (!newest) throw new Error(`${this.file} holds no whole record`);
    this.#version = newest.version;
    this.#placeBytes = half;
    return newest.text;
  }

  /** Replaces the text; it is on disk when this returns. */
  write(text: string): void {
    this.#version += 1;
    const record = encode(this.#version, text);
    if (record.length > this.#placeBytes) this.#makeAnew(record);
    else this.#writeInPlace(record);
  }

  #writeInPlace(record: Buffer): void {
    this.#descriptor ??= openSync(this.file, 'r+');
    writeSync(this.#descriptor, record, 0, record.length, (this.#version % 2) * this.#placeBytes);
    fdatasyncSync(this.#descriptor);
  }

  #makeAnew(record: Buffer): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#placeBytes = Math.max(SMALLEST_PLACE_BYTES, 2 ** Math.ceil(Math.log2(record.length * 2)));
    const bytes = Buffer.alloc(2 * this.#placeBytes, ' ');
    record.copy(bytes, (this.#version % 2) * this.#placeBytes);
    writeDurably(this.file, bytes.toString('latin1'));
  }
}

/** Version, length in bytes, digest, text: ASCII only, so that bytes are characters. */
function encode(version: number, text: string): Buffer {
  const body = Buffer.from(encodeURI(text), 'latin1');
  return Buffer.concat([Buffer.from(`${version} ${body.length} ${digest(version, body)} `, 'latin1'), body]);
}

function parse(place: Buffer): Place | undefined {
  const [header = '', version = '', length = '', sum] = HEADER.exec(place.toString('latin1', 0, 64)) ?? [];
  const body = place.subarray(header.length, header.length + Number(length));
  if (header === '' || digest(Number(version), body) !== sum) return undefined;
  return { version: Number(version), text: decodeURI(body.toString('latin1')) };
}

const digest = (version: number, body: Buffer): string =>
  createHash('sha256').update(`${version} `).update(body).digest('hex').slice(0, 16);
