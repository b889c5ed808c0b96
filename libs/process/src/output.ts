import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { ProcessSpec } from './spec.js';

export type Stream = 'stdout' | 'stderr';

/** How often files that the child writes by itself are looked at for the limit. */
const CHECK_FILES_MS = 200;

/** Where a child's output goes. The limit counts both streams together. */
export interface OutputSink {
  /** For spawn: `pipe`, `ignore` or a file descriptor that the child writes to directly. */
  readonly stdio: Readonly<Record<Stream, 'pipe' | 'ignore' | number>>;
  /** Changes with every chunk that came through a pipe. */
  readonly bytesSeen: number;
  accept(stream: Stream, chunk: Buffer): void;
  /** Closes files; nothing is accepted any more. */
  finish(): { stdout: Buffer; stderr: Buffer };
}

/**
 * @param onTooLarge called once when more than the limit has come; what came up to the limit is kept
 * @throws when a file cannot be opened
 */
export function openOutput(spec: ProcessSpec, onTooLarge: () => void): OutputSink {
  const limit = spec.maxOutputBytes ?? 64 * 1024 * 1024;
  return spec.output === undefined || spec.output === 'keep'
    ? keepInMemory(spec, limit, onTooLarge)
    : sendToFiles(spec, spec.output, limit, onTooLarge);
}

function keepInMemory(spec: ProcessSpec, limit: number, onTooLarge: () => void): OutputSink {
  const kept: Record<Stream, Buffer[]> = { stdout: [], stderr: [] };
  const count = limitedCount(limit, onTooLarge);
  return {
    stdio: { stdout: 'pipe', stderr: 'pipe' },
    get bytesSeen() {
      return count.seen;
    },
    accept(stream, chunk) {
      const part = count.take(chunk);
      if (part.length > 0) kept[stream].push(part);
      if (part.length > 0) tell(spec, stream, part);
    },
    finish: () => ({ stdout: Buffer.concat(kept.stdout), stderr: Buffer.concat(kept.stderr) }),
  };
}

function sendToFiles(
  spec: ProcessSpec,
  files: { stdoutFile: string; stderrFile?: string },
  limit: number,
  onTooLarge: () => void,
): OutputSink {
  const stdout = openSync(files.stdoutFile, 'w', 0o600);
  let stderr: number | undefined;
  try {
    stderr = files.stderrFile === undefined ? undefined : openSync(files.stderrFile, 'w', 0o600);
  } catch (error) {
    closeSync(stdout);
    throw error;
  }
  const open: Partial<Record<Stream, number>> = stderr === undefined ? { stdout } : { stdout, stderr };
  const listens = spec.onStdout !== undefined || spec.onStderr !== undefined;
  const count = limitedCount(limit, onTooLarge);
  const timer = listens || limit === Number.POSITIVE_INFINITY ? undefined : watchFiles(open, limit, onTooLarge);
  let finished = false;
  return {
    stdio: listens
      ? { stdout: 'pipe', stderr: stderr === undefined && !spec.onStderr ? 'ignore' : 'pipe' }
      : { stdout, stderr: stderr ?? 'ignore' },
    get bytesSeen() {
      return count.seen;
    },
    accept(stream, chunk) {
      const part = count.take(chunk);
      const file = open[stream];
      if (part.length > 0 && file !== undefined && !finished) writeSync(file, part);
      if (part.length > 0) tell(spec, stream, part);
    },
    finish() {
      clearInterval(timer);
      if (!finished && cutAndClose(open, limit) && !listens) onTooLarge();
      finished = true;
      return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    },
  };
}

function watchFiles(open: Partial<Record<Stream, number>>, limit: number, onTooLarge: () => void): NodeJS.Timeout {
  const timer = setInterval(() => {
    const size = Object.values(open).reduce((sum, file) => sum + fstatSync(file).size, 0);
    if (size <= limit) return;
    clearInterval(timer);
    onTooLarge();
  }, CHECK_FILES_MS);
  return timer;
}

/** @returns whether something had to be cut */
function cutAndClose(open: Partial<Record<Stream, number>>, limit: number): boolean {
  let left = limit;
  let cut = false;
  for (const file of Object.values(open)) {
    const { size } = fstatSync(file);
    if (size > left) ftruncateSync(file, left);
    cut ||= size > left;
    left -= Math.min(size, left);
    closeSync(file);
  }
  return cut;
}

function limitedCount(limit: number, onTooLarge: () => void): { readonly seen: number; take(chunk: Buffer): Buffer } {
  let seen = 0;
  return {
    get seen() {
      return seen;
    },
    take(chunk) {
      const room = Math.max(0, limit - seen);
      const passed = seen <= limit && seen + chunk.length > limit;
      seen += chunk.length;
      if (passed) onTooLarge();
      return chunk.length <= room ? chunk : chunk.subarray(0, room);
    },
  };
}

function tell(spec: ProcessSpec, stream: Stream, chunk: Buffer): void {
  (stream === 'stdout' ? spec.onStdout : spec.onStderr)?.(chunk);
}
