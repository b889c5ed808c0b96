import { Global, Module } from '@nestjs/common';
import { Execution, ProbeDirectory } from '../persistence/seams.js';
import { AttemptRecords } from './attempt/attempt-records.js';
import { AttemptRunner } from './attempt/attempt-runner.js';
import { Consents } from './attempt/consent.js';
import { Pursuit } from './attempt/pursuit.js';
import { RunningAttempts } from './attempt/running-attempts.js';
import { Series } from './attempt/series.js';
import { AttemptSnapshots } from './attempt/snapshots.js';
import { Catalogue } from './catalogue.js';
import { Claims } from './claims/claims.js';
import { Drain } from './drain.js';
import { ExecutionService } from './execution.service.js';
import { ExecutionMetrics } from './execution-metrics.js';
import { AttemptMeans } from './leg/attempt-means.js';
import { LegWalker } from './leg/leg-walker.js';
import { Ownership } from './leg/ownership.js';
import { StepResults } from './leg/step-results.js';
import { StepWalker } from './leg/step-walker.js';
import { ControlPlaneIdentity } from './probes/control-plane-identity.js';
import { GrpcProbeDirectory } from './probes/grpc-probe-directory.js';
import { Inventories } from './probes/inventories.js';
import { ProbeConnections } from './probes/probe-connections.js';
import { ProbeHealth } from './probes/probe-health.js';
import { AdvanceQueue } from './queue/advance-queue.js';
import { Dispatcher } from './queue/dispatcher.js';
import { ReparseRecords } from './reparse/reparse-records.js';
import { Reparser } from './reparse/reparser.js';
import { StoredOutputs } from './reparse/stored-output.js';

/** Runs, from their rows to their results. Needs `Settings` and the stores from global modules. */
@Global()
@Module({
  providers: [
    AdvanceQueue,
    AttemptMeans,
    AttemptRecords,
    AttemptRunner,
    AttemptSnapshots,
    Catalogue,
    Claims,
    Consents,
    ControlPlaneIdentity,
    Dispatcher,
    Drain,
    ExecutionMetrics,
    ExecutionService,
    GrpcProbeDirectory,
    Inventories,
    LegWalker,
    Ownership,
    ProbeConnections,
    ProbeHealth,
    Pursuit,
    ReparseRecords,
    Reparser,
    RunningAttempts,
    Series,
    StepResults,
    StepWalker,
    StoredOutputs,
    { provide: Execution, useExisting: ExecutionService },
    { provide: ProbeDirectory, useExisting: GrpcProbeDirectory },
  ],
  exports: [Execution, ProbeDirectory, ExecutionMetrics, AdvanceQueue],
})
export class ExecutionModule {}
