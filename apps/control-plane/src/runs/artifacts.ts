import { Injectable } from '@nestjs/common';
import type { Artifact, Reparse } from '@plumbline/model';
import { notThere } from '../http/refusals.js';
import { ArtifactStore, Database, Execution } from '../persistence/seams.js';

/** Which attempt, as URLs name it: all counts from zero. */
export interface AttemptRef {
  readonly run: string;
  readonly leg: number;
  readonly step: number;
  readonly attempt: number;
}
export type OpenArtifact = NonNullable<Awaited<ReturnType<ArtifactStore['open']>>>;

@Injectable()
export class Artifacts {
  constructor(
    private readonly database: Database,
    private readonly store: ArtifactStore,
    private readonly execution: Execution,
  ) {}

  /** @throws {ProblemError} not-found */
  async list(ref: AttemptRef): Promise<Artifact[]> {
    return this.store.list((await this.attempt(ref)).id);
  }

  /** @throws {ProblemError} not-found */
  async open(ref: AttemptRef, name: string): Promise<OpenArtifact> {
    const found = await this.store.open((await this.attempt(ref)).id, name);
    if (!found) throw notThere('artifact', name);
    return found;
  }

  /** The measuring client's stdout. @throws {ProblemError} not-found when it left none */
  async raw(ref: AttemptRef): Promise<OpenArtifact> {
    const { id, tool } = await this.attempt(ref);
    const name = rawOf(await this.store.list(id), tool);
    const found = name === undefined ? undefined : await this.store.open(id, name);
    if (!found) throw notThere('output of the measuring client in attempt', ref.attempt);
    return found;
  }

  /** @throws {ProblemError} not-found; not-reparsable */
  async reparse(ref: AttemptRef, options: { readonly store: boolean }): Promise<Reparse> {
    return this.execution.reparse((await this.attempt(ref)).id, options);
  }

  private async attempt({ run, leg, step, attempt }: AttemptRef): Promise<{ id: string; tool: string }> {
    const found = await this.database.client.attempt.findFirst({
      where: { n: attempt, step: { index: step, leg: { index: leg, runId: run } } },
      select: { id: true, tool: true },
    });
    if (!found) throw notThere('attempt', `legs/${leg}/steps/${step}/attempts/${attempt} of run ${run}`);
    return found;
  }
}

/**
 * Of an attempt's artifacts, what its measuring client printed: stdout of the near end's phase `test`, else of the tool that
 * the attempt is by (a ping before an iperf3 is neither).
 */
export function rawOf(artifacts: readonly Artifact[], tool: string): string | undefined {
  const stdout = artifacts.filter((artifact) => artifact.end === 'near' && artifact.stream === 'stdout');
  const test = stdout.find((artifact) => artifact.name.startsWith('near-test-'));
  return (test ?? stdout.findLast((artifact) => artifact.tool === tool))?.name;
}
