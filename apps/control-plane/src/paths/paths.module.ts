import { Module } from '@nestjs/common';
import { Paths } from './paths.js';
import { PathsController } from './paths.controller.js';

@Module({ controllers: [PathsController], providers: [Paths] })
export class PathsModule {}
