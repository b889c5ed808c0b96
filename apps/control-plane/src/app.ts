import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Logger } from 'pino';
import { Gate } from './access/gate.js';
import { appModule, type BackRooms } from './app.module.js';
import { HttpMetrics } from './health/http-metrics.js';
import { acceptJsonOnly, makeAdapter } from './http/adapter.js';
import { ApiDocument, describeApi } from './http/openapi-document.js';
import { logRequests } from './http/request-log.js';
import { makeLog, nestLog } from './logging.js';
import { ArtifactStore, Database, Execution, ProbeDirectory, RunEvents, Signals } from './persistence/seams.js';
import { StartSettings } from './settings.js';

/** The whole application, not listening yet. */
export async function createApp(
  settings: StartSettings,
  log: Logger,
  back: BackRooms,
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    appModule(settings, log, back),
    makeAdapter(settings, log),
    { bodyParser: false, logger: nestLog(log), abortOnError: false },
  );
  const fastify = app.getHttpAdapter().getInstance();
  acceptJsonOnly(fastify);
  logRequests(fastify, log, app.get(HttpMetrics));
  app.get(Gate).install(fastify);
  app.get(ApiDocument).text = JSON.stringify(describeApi(app));
  return app;
}

/** What the application would serve: nothing is made or started, so no database and no other room is needed. */
export async function describePreview(): Promise<OpenAPIObject> {
  const seams = [Database, Signals, RunEvents, ArtifactStore, Execution, ProbeDirectory];
  class EmptyRoom {}
  const empty = {
    module: EmptyRoom,
    global: true,
    providers: seams.map((provide) => ({ provide, useValue: null })),
    exports: seams,
  };
  const nowhere = {
    databaseUrl: 'postgresql://none',
    redisUrl: 'redis://none',
    dataDir: '.',
    host: '127.0.0.1',
    port: 0,
  };
  const settings = new StartSettings(nowhere);
  const log = makeLog('error');
  const app = await NestFactory.create<NestFastifyApplication>(
    appModule(settings, log, { persistence: empty, execution: empty }),
    makeAdapter(settings, log),
    { preview: true, abortOnError: false, logger: nestLog(log) },
  );
  return describeApi(app);
}
