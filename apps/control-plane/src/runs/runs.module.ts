import { Module } from '@nestjs/common';
import { Idempotency } from '../http/idempotency.js';
import { ArtifactsController } from './artifacts.controller.js';
import { Artifacts } from './artifacts.js';
import { RunCreation } from './run-creation.js';
import { RunEventsController } from './run-events.controller.js';
import { RunStreams } from './run-streams.js';
import { RunsController } from './runs.controller.js';
import { Runs } from './runs.js';

@Module({
  controllers: [RunsController, RunEventsController, ArtifactsController],
  providers: [Runs, RunCreation, RunStreams, Artifacts, Idempotency],
})
export class RunsModule {}
