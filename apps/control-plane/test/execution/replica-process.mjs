// Runs a replica from its TypeScript sources in a process of its own, so that a test can kill it.
import { fileURLToPath } from 'node:url';
import { createServer, createServerModuleRunner } from 'vite';

const conditions = ['@plumbline/source'];
const server = await createServer({
  configFile: false,
  logLevel: 'error',
  root: fileURLToPath(new URL('../../../..', import.meta.url)),
  cacheDir: `node_modules/.vite-replica-${process.pid}`,
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
});
const runner = createServerModuleRunner(server.environments.ssr, { hmr: false });
const { startReplica } = await runner.import(fileURLToPath(new URL('./replica.ts', import.meta.url)));
const replica = await startReplica(JSON.parse(process.env.REPLICA_OPTIONS));
process.on('SIGTERM', () => replica.stop().then(() => process.exit(0)));
process.stdout.write('ready\n');
