import { Module } from '@nestjs/common';
import { PlansController } from './plans.controller.js';
import { Plans } from './plans.js';

@Module({ controllers: [PlansController], providers: [Plans] })
export class PlansModule {}
