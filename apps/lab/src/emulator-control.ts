import { createConnection } from 'node:net';
import { z } from 'zod';
import { LabError, sentenceOf } from './lab-error.js';

const count = z.int().nonnegative();

const DirectionStat = z.object({
  rateBps: z.number(),
  delayUs: z.number(),
  queueBytes: count,
  queueUs: z.number(),
  lossRatio: z.number(),
  duplicateRatio: z.number(),
  reorderRatio: z.number(),
  reorderExtraUs: z.number(),
  policerBps: z.number(),
  policerBurstBytes: z.number(),
  flowRateBps: z.number(),
  maxPacketBytes: count,
  windowScale: z.boolean(),
  up: z.boolean(),
  received: count,
  receivedBytes: count,
  delivered: count,
  deliveredBytes: count,
  lost: count,
  droppedDown: count,
  droppedLong: count,
  droppedPolicer: count,
  droppedQueue: count,
  droppedMemory: count,
  undeliverable: count,
  duplicated: count,
  reordered: count,
  windowScaleStripped: count,
  queuedBytes: count,
  inFlightPackets: count,
  lateMeanUs: z.number(),
  lateMaxUs: z.number(),
});
/** Settings, counters (packets unless they say bytes) and gauges of one direction, as the emulator has them. */
export type DirectionStat = z.output<typeof DirectionStat>;

const LinkStat = z.object({ pid: z.int().positive(), ab: DirectionStat, ba: DirectionStat });
export type LinkStat = z.output<typeof LinkStat>;

const ANSWER_WITHIN_MS = 3000;

/**
 * Sends one command line to an emulator and returns what follows `ok`.
 * @throws {LabError} command-refused with the emulator's sentence; emulator-failed when nothing answers in 3 s
 */
export async function askEmulator(socketPath: string, line: string): Promise<string> {
  const answer = await exchange(socketPath, line);
  if (answer === 'ok' || answer.startsWith('ok ')) return answer.slice('ok '.length);
  if (answer.startsWith('error ')) throw new LabError('command-refused', answer.slice('error '.length));
  throw new LabError('emulator-failed', `the link answered '${answer.slice(0, 80)}'`);
}

/** Settings and counters of a link. @throws {LabError} emulator-failed */
export async function readLinkStat(socketPath: string): Promise<LinkStat> {
  const text = await askEmulator(socketPath, 'stat');
  try {
    return LinkStat.parse(JSON.parse(text));
  } catch (error) {
    throw new LabError('emulator-failed', 'the link printed counters that cannot be read', { cause: error });
  }
}

/** Ends with the first line of the answer, the end of the connection, or after ANSWER_WITHIN_MS. */
function exchange(socketPath: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(socketPath);
    let received = '';
    const fail = (why: string): void => {
      socket.destroy();
      reject(new LabError('emulator-failed', `the link does not answer at ${socketPath}: ${why}`));
    };
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_WITHIN_MS, () => fail(`nothing came for ${ANSWER_WITHIN_MS} ms`));
    socket.once('error', (error) => fail(sentenceOf(error)));
    socket.once('end', () => fail('it closed the connection'));
    socket.once('connect', () => socket.write(`${line}\n`));
    socket.on('data', (chunk) => {
      received += chunk;
      const end = received.indexOf('\n');
      if (end < 0) return;
      socket.removeAllListeners('end');
      socket.destroy();
      resolve(received.slice(0, end));
    });
  });
}
