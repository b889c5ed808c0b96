import { Global, Module } from '@nestjs/common';
import { AdminToken } from './admin-token.js';
import { Authority } from './certificate-authority.js';
import { Gate } from './gate.js';
import { Tokens } from './tokens.js';

@Global()
@Module({ providers: [AdminToken, Authority, Tokens, Gate], exports: [AdminToken, Authority, Gate] })
export class AccessModule {}
