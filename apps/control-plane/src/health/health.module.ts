import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';
import { StateMetrics } from './state-metrics.js';

@Module({ controllers: [HealthController], providers: [Readiness, StateMetrics] })
export class HealthModule {}
