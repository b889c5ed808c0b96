import { finiteResult, requireNonNegative, requirePositive, requireWhole, TheoryError } from './theory-error.js';

/** A link in the order in which a request meets them; its rate counts IP bytes. */
export interface PathLink {
  rateBps: number;
  oneWayDelayMs: number;
}

export interface TransactionSpec {
  links: readonly PathLink[];
  requestBytes: number;
  replyBytes: number;
  mssBytes: number;
  /** IP and TCP headers of each packet: 52 with timestamps. */
  headersBytes: number;
}

export interface TransactionTime {
  requestMs: number;
  replyMs: number;
  transactionMs: number;
  /** One at a time, back to back. */
  perSecond: number;
}

/** A message of more packets than this is a transfer, not a transaction. */
const MOST_PACKETS = 1_000_000;

/**
 * What distance and serialization leave of a request-reply application, window and queues being large enough: each link
 * stores and forwards whole packets (METHODS.md; Kurose and Ross, section 1.4). @throws {TheoryError}
 */
export function transactionTime(spec: TransactionSpec): TransactionTime {
  const requestMs = oneWayMs(spec.links, packetsOf(spec.requestBytes, 'requestBytes', spec));
  const replyMs = oneWayMs(spec.links.toReversed(), packetsOf(spec.replyBytes, 'replyBytes', spec));
  const transactionMs = finiteResult('transaction time', requestMs + replyMs);
  return { requestMs, replyMs, transactionMs, perSecond: finiteResult('transactions', 1000 / transactionMs) };
}

/** Round trip of one packet each way, in IP bytes: a ping, or a segment and its acknowledgement. @throws {TheoryError} */
export function packetRoundTripMs(links: readonly PathLink[], forwardIpBytes: number, backIpBytes: number): number {
  const there = oneWayMs(links, [requirePositive('forwardIpBytes', forwardIpBytes)]);
  return there + oneWayMs(links.toReversed(), [requirePositive('backIpBytes', backIpBytes)]);
}

function packetsOf(messageBytes: number, field: string, { mssBytes, headersBytes }: TransactionSpec): number[] {
  requireWhole(field, messageBytes, 1);
  requireNonNegative('headersBytes', headersBytes);
  const count = Math.ceil(messageBytes / requireWhole('mssBytes', mssBytes, 1));
  if (count > MOST_PACKETS) throw new TheoryError(field, `makes ${count} packets, more than ${MOST_PACKETS}`);
  return Array.from({ length: count }, (_, i) => Math.min(mssBytes, messageBytes - i * mssBytes) + headersBytes);
}

/** When the last packet has come off the last link: a packet leaves a link when it has arrived and the one before is gone. */
function oneWayMs(links: readonly PathLink[], packetBytes: readonly number[]): number {
  if (links.length === 0) throw new TheoryError('links', 'must name at least one link');
  let arrivals = packetBytes.map(() => 0);
  for (const link of links) {
    const rateBps = requirePositive('rateBps', link.rateBps);
    const delayMs = requireNonNegative('oneWayDelayMs', link.oneWayDelayMs);
    let freeMs = 0;
    arrivals = packetBytes.map((bytes, i) => {
      freeMs = Math.max(arrivals[i] ?? 0, freeMs) + (bytes * 8 * 1000) / rateBps;
      return freeMs + delayMs;
    });
  }
  return finiteResult('one-way time', arrivals.at(-1) ?? 0);
}
