// A process that owns a stack, for tests that kill it: node owner.mjs DIR. Prints one line of JSON when it is up.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(context.parentURL?.endsWith('.ts') ? specifier.replace(/^(\.\.?\/.*)\.js$/, '$1.ts') : specifier, context),
});
const { startPostgres, startRedis, withDataDir } = await import('../src/index.ts');
const dir = process.argv[2];
await withDataDir(dir);
const [postgres, redis] = await Promise.all([startPostgres({ dir }), startRedis({ dir })]);
console.log(JSON.stringify({ url: postgres.url, redisPath: redis.path, pids: [postgres.pid, redis.pid] }));
setInterval(() => {}, 60_000);
