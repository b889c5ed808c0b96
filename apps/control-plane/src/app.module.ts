import type { DynamicModule, Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import type { Logger } from 'pino';
import { AccessModule } from './access/access.module.js';
import { CatalogueModule } from './catalogue/catalogue.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpMetrics } from './health/http-metrics.js';
import { Closing } from './http/closing.js';
import { Deadline } from './http/deadline.js';
import { LOG } from './http/log-token.js';
import { ApiDocument } from './http/openapi-document.js';
import { ProblemFilter } from './http/problem-filter.js';
import { StrictRequest } from './http/strict-request.js';
import { ValidationPipe } from './http/validation-pipe.js';
import { PathsModule } from './paths/paths.module.js';
import { Settings } from './persistence/seams.js';
import { PlansModule } from './plans/plans.module.js';
import { ProbesModule } from './probes/probes.module.js';
import { RunsModule } from './runs/runs.module.js';
import type { StartSettings } from './settings.js';
import { SitesModule } from './sites/sites.module.js';

class HouseModule {}
class AppModule {}

/** What every room may ask for: settings, the log, metrics, and whether we are about to stop. */
function houseModule(settings: StartSettings, log: Logger): DynamicModule {
  const values = [
    { provide: Settings, useValue: settings },
    { provide: LOG, useValue: log },
  ];
  const shared = [HttpMetrics, ApiDocument, Closing];
  return { module: HouseModule, global: true, providers: [...values, ...shared], exports: [Settings, LOG, ...shared] };
}

/** The rooms behind the seams; tests put others there. */
export interface BackRooms {
  readonly persistence: Type | DynamicModule;
  readonly execution: Type | DynamicModule;
}

/** All rooms together. */
export function appModule(settings: StartSettings, log: Logger, back: BackRooms): DynamicModule {
  return {
    module: AppModule,
    imports: [
      houseModule(settings, log),
      back.persistence,
      back.execution,
      AccessModule,
      HealthModule,
      CatalogueModule,
      SitesModule,
      ProbesModule,
      PathsModule,
      PlansModule,
      RunsModule,
    ],
    providers: [
      { provide: APP_FILTER, useFactory: () => new ProblemFilter(log) },
      { provide: APP_GUARD, useClass: StrictRequest },
      { provide: APP_PIPE, useClass: ValidationPipe },
      { provide: APP_INTERCEPTOR, useClass: Deadline },
    ],
  };
}
