import { Module } from '@nestjs/common';
import { Plans } from './plans.js';
import { PlansController } from './plans.controller.js';

@Module({ controllers: [PlansController], providers: [Plans] })
export class PlansModule {}
