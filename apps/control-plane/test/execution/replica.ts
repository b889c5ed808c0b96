import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Global, Logger, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Catalogue } from '../../src/execution/catalogue.js';
import { ExecutionModule } from '../../src/execution/execution.module.js';
import { PersistenceModule } from '../../src/persistence/persistence.module.js';
import { Execution, Settings } from '../../src/persistence/seams.js';
import { ScriptedCatalogue } from './scripted-catalogue.js';

export interface ReplicaOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly dataDir: string;
  readonly name?: string;
}

export interface Replica {
  readonly name: string;
  readonly module: TestingModule;
  readonly execution: Execution;
  /** As by SIGTERM. */
  stop(): Promise<void>;
}

/** The execution side of a control plane, without its HTTP. */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const name = options.name ?? `replica-${randomUUID().slice(0, 8)}`;
  const settings: Settings = {
    databaseUrl: options.databaseUrl,
    redisUrl: options.redisUrl,
    dataDir: options.dataDir,
    host: '127.0.0.1',
    port: 0,
    replica: name,
  };
  @Global()
  @Module({ providers: [{ provide: Settings, useValue: settings }], exports: [Settings] })
  class SettingsModule {}
  Logger.overrideLogger(process.env.SHOW_LOG ? ['error', 'warn', 'log'] : ['fatal']);
  const module = await Test.createTestingModule({ imports: [SettingsModule, PersistenceModule, ExecutionModule] })
    .overrideProvider(Catalogue)
    .useValue(new ScriptedCatalogue())
    .compile();
  if (process.env.SHOW_LOG) module.useLogger(['error', 'warn', 'log']);
  await module.init();
  let stopped: Promise<void> | undefined;
  return {
    name,
    module,
    execution: module.get(Execution),
    stop: () => {
      stopped ??= module.close();
      return stopped;
    },
  };
}
