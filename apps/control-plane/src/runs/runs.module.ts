import { Module } from '@nestjs/common';
import { Idempotency } from '../http/idempotency.js';
import { Artifacts } from './artifacts.js';
import { ArtifactsController } from './artifacts.controller.js';
import { RunCreation } from './run-creation.js';
import { RunEventsController } from './run-events.controller.js';
import { RunStreams } from './run-streams.js';
import { Runs } from './runs.js';
import { RunsController } from './runs.controller.js';

@Module({
  controllers: [RunsController, RunEventsController, ArtifactsController],
  providers: [Runs, RunCreation, RunStreams, Artifacts, Idempotency],
})
export class RunsModule {}
