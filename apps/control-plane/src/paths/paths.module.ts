import { Module } from '@nestjs/common';
import { PathsController } from './paths.controller.js';
import { Paths } from './paths.js';

@Module({ controllers: [PathsController], providers: [Paths] })
export class PathsModule {}
