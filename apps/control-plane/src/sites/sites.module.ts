import { Module } from '@nestjs/common';
import { Sites } from './sites.js';
import { SitesController } from './sites.controller.js';

@Module({ controllers: [SitesController], providers: [Sites] })
export class SitesModule {}
