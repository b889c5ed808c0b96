import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findProgram } from '@plumbline/process';
import { serverAccount } from './account.js';
import { EmbeddedError } from './fault.js';
import { dataFolder, privateFolder } from './folder.js';
import { type RunningServer, recoverServer, startServer } from './server.js';
import { reachableFolder } from './socket-path.js';

const SOCKET = 'redis.sock';
/** Saving the last second of a small queue takes milliseconds. */
const STOP_MS = 5000;
const PING_MS = 1000;

export interface RedisServer extends RunningServer {
  /** `unix:///…/redis.sock`, percent-encoded. ioredis itself wants `path`. */
  readonly url: string;
  readonly path: string;
}

/**
 * A private Redis whose data lie under `dir/redis`. It listens on a unix socket in that 0700 folder and on nothing else:
 * unlike a loopback port that needs no password, no other user of the machine can connect, and two stacks never want
 * the same port. It dies with us; at most the last second is lost (AOF everysec), which the control plane expects.
 * @throws EmbeddedError
 */
export async function startRedis({ dir }: { dir: string }): Promise<RedisServer> {
  if (findProgram('redis-server') === undefined) {
    throw new EmbeddedError(
      'program-missing',
      'redis-server is not installed. Install it (sudo apt-get install redis-server), or set REDIS_URL and DATABASE_URL to servers of your own.',
    );
  }
  const root = dataFolder(dir);
  const home = join(root, 'redis');
  const kept = await recoverServer(root, 'redis');
  const account = serverAccount(home);
  privateFolder(home, account);
  const { folder, shortcut } = reachableFolder(home, SOCKET, kept);
  const path = join(folder, SOCKET);
  const server = await startServer({
    name: 'redis',
    dir: root,
    cwd: home,
    account,
    lockFile: 'lock',
    argv: ['redis-server', ...settings()],
    shortcut,
    ready: (pid) => answersPing(path, pid),
    stopSignal: 'SIGTERM',
    stopMs: STOP_MS,
  });
  return { ...server, path, url: pathToFileURL(path).href.replace(/^file:/, 'unix:') };
}

function settings(): string[] {
  const options = {
    port: '0',
    unixsocket: SOCKET,
    unixsocketperm: '700',
    dir: '.',
    daemonize: 'no',
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    // BullMQ: an evicted key would be a lost job.
    'maxmemory-policy': 'noeviction',
    databases: '1',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

/** False while there is no socket yet, while it still reads its file (-LOADING), and when another Redis answers. */
function answersPing(path: string, pid: number): Promise<boolean> {
  return new Promise((tell) => {
    const socket = connect(path);
    let heard = '';
    const finish = (answer: boolean): void => {
      socket.destroy();
      tell(answer);
    };
    socket.setTimeout(PING_MS, () => finish(false));
    socket.once('connect', () => socket.write('INFO server\r\nPING\r\n'));
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      if (/^-LOADING/m.test(heard)) finish(false);
      else if (/^\+PONG/m.test(heard)) finish(heard.includes(`process_id:${pid}\r\n`));
    });
    socket.once('error', () => finish(false));
    socket.once('close', () => tell(false));
  });
}
