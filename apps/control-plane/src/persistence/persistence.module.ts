import { Global, Module } from '@nestjs/common';
import { PostgresArtifactStore } from './postgres-artifact-store.js';
import { PostgresDatabase } from './postgres-database.js';
import { PostgresRunEvents } from './postgres-run-events.js';
import { PostgresSignals } from './postgres-signals.js';
import { ArtifactStore, Database, RunEvents, Signals } from './seams.js';

/** The stores. Needs `Settings` from a global module. */
@Global()
@Module({
  providers: [
    PostgresDatabase,
    PostgresSignals,
    PostgresRunEvents,
    PostgresArtifactStore,
    { provide: Database, useExisting: PostgresDatabase },
    { provide: Signals, useExisting: PostgresSignals },
    { provide: RunEvents, useExisting: PostgresRunEvents },
    { provide: ArtifactStore, useExisting: PostgresArtifactStore },
  ],
  exports: [
    Database,
    Signals,
    RunEvents,
    ArtifactStore,
    PostgresDatabase,
    PostgresSignals,
    PostgresRunEvents,
    PostgresArtifactStore,
  ],
})
export class PersistenceModule {}
