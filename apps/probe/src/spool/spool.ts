import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { syncAll } from '../durable.js';
import { AttemptLog } from './attempt-log.js';

/** What is known of an attempt before it starts. Holds no secret. */
export const AttemptFacts = z.object({
  id: z.string(),
  side: z.enum(['near', 'far']),
  legId: z.string(),
  fence: z.string().regex(/^\d+$/).transform(BigInt),
  shared: z.boolean(),
  endpoint: z.string(),
  resource: z.string(),
  kind: z.string(),
  startedAt: z.iso.datetime().transform((text) => new Date(text)),
});
export type AttemptFacts = z.output<typeof AttemptFacts>;

export interface Spooled {
  readonly facts: AttemptFacts;
  readonly log: AttemptLog;
}

interface Unannounced {
  readonly name: string;
  readonly phase: string;
  readonly stream: 'stdout' | 'stderr' | 'samples' | 'capture';
}

/** Ids become names of folders, so they hold nothing else. */
export const AttemptId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/);

const KEEP_MS = 7 * 86_400_000;
const KEEP_BYTES = 1024 ** 3;

/** The folder where attempts wait until the control plane has acknowledged them. */
export class Spool {
  constructor(
    private readonly folder: string,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * A place for a new attempt: from then on its id is known, however the probe ends. It reaches the disk in the background,
   * beside the start of the programs: a host that loses its power within these milliseconds has lost the programs as well.
   */
  create(facts: AttemptFacts): AttemptLog {
    const folder = this.#folderOf(facts);
    mkdirSync(folder, { mode: 0o700 });
    const text = { ...facts, fence: facts.fence.toString(), startedAt: facts.startedAt.toISOString() };
    const file = join(folder, 'attempt.json');
    writeFileSync(file, JSON.stringify(text), { mode: 0o600 });
    void syncAll([file, folder, this.folder]);
    return AttemptLog.create(folder);
  }

  /** All that an earlier life left, oldest first. What cannot be read is no attempt, and is removed. */
  reopen(): Spooled[] {
    const found = readdirSync(this.folder).flatMap((name) => {
      const folder = join(this.folder, name);
      const spooled = reopenOne(folder);
      if (!spooled) rmSync(folder, { recursive: true, force: true });
      return spooled ?? [];
    });
    return found.sort((a, b) => a.facts.startedAt.getTime() - b.facts.startedAt.getTime());
  }

  /** Artifacts whose bytes came and that were never announced: the probe died before. */
  unannounced({ facts, log }: Spooled): Unannounced[] {
    return readdirSync(this.#folderOf(facts)).flatMap((file): Unannounced[] => {
      const name = file.startsWith('artifact-') ? decodeURIComponent(file.slice('artifact-'.length)) : undefined;
      if (name === undefined || log.hasArtifact(name)) return [];
      const [, phase = '', stream] = /^(.*)\.(stdout|stderr|capture)$/.exec(name) ?? [];
      const known = stream === 'stdout' || stream === 'stderr' || stream === 'capture';
      return [{ name, phase, stream: known ? stream : 'samples' }];
    });
  }

  remove(facts: AttemptFacts): void {
    const folder = this.#folderOf(facts);
    // Moved first, so that a crash in the middle leaves no half attempt.
    const going = `${folder}.gone`;
    if (existsSync(folder)) renameSync(folder, going);
    rmSync(going, { recursive: true, force: true });
  }

  /** Finished attempts that waited for more than 7 days, and the oldest until all take less than 1 GiB. */
  outdated(waiting: readonly Spooled[]): Spooled[] {
    const finished = waiting.filter(({ log }) => log.finished);
    const old = finished.filter(({ facts }) => facts.startedAt.getTime() < this.now() - KEEP_MS);
    let bytes = waiting.reduce((sum, { log }) => sum + log.sizeBytes, 0);
    for (const spooled of old) bytes -= spooled.log.sizeBytes;
    const gone = [...old];
    for (const spooled of finished) {
      if (bytes <= KEEP_BYTES) break;
      if (gone.includes(spooled)) continue;
      bytes -= spooled.log.sizeBytes;
      gone.push(spooled);
    }
    return gone;
  }

  #folderOf = (facts: Pick<AttemptFacts, 'id' | 'side'>): string => join(this.folder, `${facts.id}.${facts.side}`);
}

function reopenOne(folder: string): Spooled | undefined {
  try {
    const facts = AttemptFacts.parse(JSON.parse(readFileSync(join(folder, 'attempt.json'), 'utf8')));
    return folder.endsWith('.gone') ? undefined : { facts, log: AttemptLog.reopen(folder) };
  } catch {
    return undefined;
  }
}
