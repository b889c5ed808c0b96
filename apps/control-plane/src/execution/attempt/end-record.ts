import { createHash } from 'node:crypto';
import { Artifact, type End, type Ending, ended, Outcome, parseReason } from '@plumbline/model';
import type { ArtifactStart, ExecuteResponse, Finished, Sample, Started } from '@plumbline/probe-rpc';
import { MAX_ARTIFACT_BYTES } from '../../persistence/postgres-artifact-store.js';

/** Bytes of one stream of one program, whole. */
export interface CollectedArtifact {
  readonly artifact: Omit<Artifact, 'sizeBytes' | 'sha256'>;
  readonly phase: string;
  readonly bytes: Buffer;
}

/** What one event meant to the record. */
export type Change =
  | { readonly kind: 'started'; readonly started: Started }
  | { readonly kind: 'sample'; readonly sample: Sample }
  | { readonly kind: 'finished' }
  | { readonly kind: 'nothing' };

/** Everything that one end has told of an attempt, put together from its events. */
export class EndRecord {
  /** Sequence of the last event: where a broken stream goes on. */
  after = 0n;
  readonly started: { readonly started: Started; readonly at: Date | undefined }[] = [];
  readonly artifacts: CollectedArtifact[] = [];
  readonly notes: string[] = [];
  finished: Finished | undefined;
  private open: { start: ArtifactStart; chunks: Buffer[]; sizeBytes: number } | undefined;

  constructor(readonly end: End) {}

  apply({ sequence, at, event }: ExecuteResponse): Change {
    if (!event || event.$case === 'alive' || (sequence !== 0n && sequence <= this.after)) return { kind: 'nothing' };
    this.after = sequence > this.after ? sequence : this.after;
    switch (event.$case) {
      case 'started':
        this.started.push({ started: event.value, at });
        return { kind: 'started', started: event.value };
      case 'sample':
        return { kind: 'sample', sample: event.value };
      case 'artifactStart':
        this.open = { start: event.value, chunks: [], sizeBytes: 0 };
        return { kind: 'nothing' };
      case 'artifactChunk':
        this.chunk(Buffer.from(event.value.data));
        return { kind: 'nothing' };
      case 'artifactEnd':
        this.close(Number(event.value.sizeBytes), Buffer.from(event.value.sha256));
        return { kind: 'nothing' };
      case 'finished':
        this.finished = event.value;
        return { kind: 'finished' };
    }
  }

  /** How this end says that it ended; undefined: it has not said. */
  get ending(): Ending | undefined {
    if (!this.finished) return undefined;
    const outcome = Outcome.safeParse(this.finished.outcome).data;
    if (outcome === 'completed') return { outcome };
    const known = ended(parseReason(this.finished.reason), this.finished.detail || undefined);
    return outcome === undefined || known.outcome === 'completed' ? known : { ...known, outcome };
  }

  private chunk(data: Buffer): void {
    if (!this.open) return;
    this.open.sizeBytes += data.length;
    const room = MAX_ARTIFACT_BYTES - (this.open.sizeBytes - data.length);
    if (room > 0) this.open.chunks.push(data.subarray(0, room));
  }

  /** An artifact counts when its bytes are those that the probe says it sent. */
  private close(sizeBytes: number, sha256: Buffer): void {
    const { open } = this;
    this.open = undefined;
    if (!open) return;
    const bytes = Buffer.concat(open.chunks);
    const name = this.nameOf(open.start);
    if (open.sizeBytes !== sizeBytes || !createHash('sha256').update(bytes).digest().equals(sha256))
      this.notes.push(`${name}: what arrived is not what the probe says it sent (size or SHA-256 differs)`);
    const { phase, tool, stream, mediaType } = open.start;
    const known = Artifact.shape.stream.safeParse(stream).data;
    if (known === undefined) this.notes.push(`${name}: a stream of kind ${stream} is not known here; kept as stdout`);
    const artifact = {
      name,
      end: this.end,
      tool,
      stream: known ?? 'stdout',
      mediaType: mediaType || 'application/octet-stream',
    };
    this.artifacts.push({ artifact, phase, bytes });
  }

  /** `near-test-iperf3.stdout`; a second one of the same name gets a number. */
  private nameOf({ phase, tool, stream }: ArtifactStart): string {
    const name = artifactName(this.end, phase, tool, stream);
    const same = this.artifacts.filter(
      ({ artifact }) => artifact.name === name || artifact.name.startsWith(`${name}.`),
    ).length;
    return same === 0 ? name : `${name}.${same + 1}`;
  }
}

/** What a name in a URL and a file system may hold; anything else becomes a dash. */
export const artifactName = (end: End, phase: string, tool: string, stream: string): string =>
  `${end}-${phase}-${tool}.${stream}`.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 120);
