import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'plb_';
/** 34 characters of 62 hold 202 bits. */
const RANDOM_LENGTH = 34;
/** 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{30,100})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/**
 * A new access token: `plb_`, random base62, and the CRC-32 of the random part in base62, so that a mistyped or cut token is told
 * from an unknown one, and scanners find leaked ones (github.blog 2021-04-05).
 */
export function makeToken(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return PREFIX + random + checksum(random);
}

/** Whether a text has the form of a token and its checksum fits; says nothing about whether it is known. */
export function isWellFormedToken(text: string): boolean {
  const [, random, sum] = FORM.exec(text) ?? [];
  return random !== undefined && checksum(random) === sum;
}

/** What the database keeps of a token: its SHA-256, hex. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Enough to recognise a token in a list, too little to guess it. */
export const tokenPrefix = (token: string): string => token.slice(0, PREFIX.length + 4);

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  // Ends: a fixed number of digits.
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = `${ALPHABET[rest % ALPHABET.length]}${digits}`;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
