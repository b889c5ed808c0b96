import { Module } from '@nestjs/common';
import { SitesController } from './sites.controller.js';
import { Sites } from './sites.js';

@Module({ controllers: [SitesController], providers: [Sites] })
export class SitesModule {}
