import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
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
import { ValidationPipe } from './http/validation-pipe.js';
import { PathsModule } from './paths/paths.module.js';
import { Settings } from './persistence/seams.js';
import { PlansModule } from './plans/plans.module.js';
import { ProbesModule } from './probes/probes.module.js';
import { RunsModule } from './runs/runs.module.js';
import type { StartSettings } from './settings.js';
import { SitesModule } from './sites/sites.module.js';

/** What every room may ask for: settings, the log, metrics, and whether we are about to stop. */
@Global()
@Module({})
class HouseModule {
  static of(settings: StartSettings, log: Logger): DynamicModule {
    return {
      module: HouseModule,
      providers: [
        { provide: Settings, useValue: settings },
        { provide: LOG, useValue: log },
        HttpMetrics,
        ApiDocument,
        Closing,
      ],
      exports: [Settings, LOG, HttpMetrics, ApiDocument, Closing],
    };
  }
}

/** The rooms behind the seams; tests put others there. */
export interface BackRooms {
  readonly persistence: Type | DynamicModule;
  readonly execution: Type | DynamicModule;
}

@Module({})
export class AppModule {
  static of(settings: StartSettings, log: Logger, back: BackRooms): DynamicModule {
    return {
      module: AppModule,
      imports: [HouseModule.of(settings, log), back.persistence, back.execution, AccessModule, HealthModule, CatalogueModule, SitesModule, ProbesModule, PathsModule, PlansModule, RunsModule],
      providers: [
        { provide: APP_FILTER, useFactory: () => new ProblemFilter(log) },
        { provide: APP_PIPE, useClass: ValidationPipe },
        { provide: APP_INTERCEPTOR, useClass: Deadline },
      ],
    };
  }
}
