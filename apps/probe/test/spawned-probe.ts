import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ProcessResult, type RunningProcess, startProcess } from '@plumbline/process';
import type { ProbeOptions } from '../src/configuration.js';

const SCRIPT = fileURLToPath(new URL('./probe-process.mjs', import.meta.url));

/** A probe that runs as a process of its own, so that it can be killed. */
export class SpawnedProbe {
  readonly folder = mkdtempSync(join(tmpdir(), 'plumb-probe-'));
  readonly address = `unix:${join(this.folder, 'probe.sock')}`;
  readonly name = 'subject';
  readonly options: ProbeOptions;
  #running: RunningProcess | undefined;
  printed = '';
  logged = '';

  constructor(options: Partial<ProbeOptions> = {}) {
    this.options = {
      name: this.name,
      site: 'here',
      listen: this.address,
      endpoints: ['one=127.0.0.1@lo', 'two=127.0.0.2@other0', 'whole=127.0.0.3'],
      dataDir: join(this.folder, 'data'),
      readyMs: 1500,
      ...options,
    };
  }

  get pid(): number {
    return this.#running?.pid ?? -1;
  }

  /** Resolves when it has said that it listens. @throws {Error} with what it said instead */
  async start(): Promise<void> {
    this.printed = '';
    const running = startProcess({
      argv: [process.execPath, SCRIPT, JSON.stringify(this.options)],
      env: { PATH: process.env.PATH ?? '' },
      graceMs: 4000,
      maxOutputBytes: Number.POSITIVE_INFINITY,
      onStdout: (chunk) => {
        this.printed += chunk.toString();
      },
      onStderr: (chunk) => {
        this.logged += chunk.toString();
      },
    });
    this.#running = running;
    let ended = false;
    void running.result.then(() => {
      ended = true;
    });
    const until = performance.now() + 15_000;
    // Ends when it listens, when it has ended, or after 15 s.
    while (!this.printed.includes('listening on')) {
      if (ended || performance.now() > until) throw new Error(`the probe did not start: ${this.printed}${this.logged}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.#running?.result;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async stop(): Promise<ProcessResult | undefined> {
    return this.#running?.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
