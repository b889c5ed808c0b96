export { type DataDir, withDataDir } from './data-dir.js';
export { EMBEDDED_FAULTS, EmbeddedError, type EmbeddedFault } from './fault.js';
export { applyMigrations } from './migrations.js';
export { type PostgresServer, startPostgres } from './postgres.js';
export { type RedisServer, startRedis } from './redis.js';
