import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endOrphans, identifyProcess, ProcessIdentity } from '@plumbline/process';

/**
 * Writes down which processes run, so that a probe that died can end them when it comes back: by pid and start time, never by
 * name. The kernel kills most of them with the probe; those that gained rights by executing, and grandchildren, it does not.
 */
export class Children {
  constructor(private readonly folder: string) {}

  /** @returns forgets it again; call it when the process is gone */
  record(pid: number): () => void {
    const identity = identifyProcess(pid);
    if (!identity) return () => {};
    const file = join(this.folder, `${pid}.json`);
    writeFileSync(file, JSON.stringify(identity), { mode: 0o600 });
    return () => rmSync(file, { force: true });
  }

  /** Ends what an earlier life left. @returns how many process groups were still there */
  async endLeftOvers(): Promise<number> {
    const files = readdirSync(this.folder).map((name) => join(this.folder, name));
    const left = files.flatMap((file) => readIdentity(file) ?? []);
    const ended = await endOrphans(left);
    for (const file of files) rmSync(file, { force: true });
    return ended;
  }
}

/** Undefined: the probe died while it wrote. */
function readIdentity(file: string): ProcessIdentity | undefined {
  try {
    return ProcessIdentity.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
