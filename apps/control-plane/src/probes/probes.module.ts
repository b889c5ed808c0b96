import { Module } from '@nestjs/common';
import { Enrolments } from './enrolments.js';
import { EnrolmentsController } from './enrolments.controller.js';
import { Probes } from './probes.js';
import { ProbesController } from './probes.controller.js';

@Module({
  controllers: [ProbesController, EnrolmentsController],
  providers: [Probes, Enrolments],
})
export class ProbesModule {}
