import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import type { LogLevel } from './settings.js';

/** One JSON line an entry, on stderr. Nobody logs headers or bodies, so no token can be in it. */
export const makeLog = (level: LogLevel): Logger =>
  pino(
    { level, base: { service: 'control-plane' }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );

/** Nest's own messages, in the same stream; its start-up chatter is for debugging. */
export function nestLog(log: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.at(-1);
      log[level](
        {
          context: typeof context === 'string' ? context : undefined,
          ...(message instanceof Error ? { err: message } : {}),
        },
        message instanceof Error ? message.message : String(message),
      );
    };
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('debug'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  };
}
