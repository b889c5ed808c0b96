import { Module } from '@nestjs/common';
import { EnrolmentsController } from './enrolments.controller.js';
import { Enrolments } from './enrolments.js';
import { ProbesController } from './probes.controller.js';
import { Probes } from './probes.js';

@Module({
  controllers: [ProbesController, EnrolmentsController],
  providers: [Probes, Enrolments],
})
export class ProbesModule {}
