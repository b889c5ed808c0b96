#!/usr/bin/env node
// Everything that a fresh clone needs, then one task. No dependencies; runs on Node 20 and newer.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
// npm 10 drops node_modules/.bin/node when it skips the other platform's optional package, so name the folder itself.
const node = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
const env = {
  ...process.env,
  PATH: [node, bin, process.env.PATH].join(delimiter),
  NX_DAEMON: 'false',
  NX_NO_CLOUD: 'true',
};

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env, ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
const has = (name) =>
  env.PATH.split(delimiter).some((d) => {
    try {
      accessSync(join(d, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

// 1. system tools that npm can't bring
const packages = { 'redis-server': 'redis-server', iperf3: 'iperf3', iperf: 'iperf' };
const missing = Object.keys(packages).filter((c) => !has(c));
if (missing.length) {
  const names = missing.map((c) => packages[c]);
  const apt = process.getuid() === 0 ? [] : ['sudo', '-n'];
  const manual = `Install ${names.join(', ')} (Debian or Ubuntu: sudo apt-get install ${names.join(' ')}) and run this again.`;
  if (!has('apt-get') || (apt.length && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0)) {
    console.error(manual);
    process.exit(1);
  }
  const aptEnv = { ...env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const [first, ...rest] = [...apt, 'apt-get'];
  run(first, [...rest, 'update', '-q'], { env: aptEnv });
  run(first, [...rest, 'install', '-y', '-q', '--no-install-recommends', ...names], { env: aptEnv });
}

// 2. npm packages, among them the Node that everything below runs on
const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');
const stamp = join(root, 'node_modules', '.lock-hash');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { env: { ...process.env } });
  writeFileSync(stamp, lock);
}

// 3. build, then the task
const [task = 'start', ...args] = process.argv.slice(2);
run('node', ['-e', 'console.log(`Node ${process.version} from ${process.execPath}`)']);
run('nx', ['run-many', '-t', 'build', '--output-style=static']);
if (task === 'start') run('node', ['apps/cli/dist/main.js', 'demo', ...args]);
else if (task === 'test') {
  run('depcruise', ['apps', 'libs']);
  run('nx', ['run-many', '-t', 'test', '--output-style=stream']);
} else run('nx', [task, ...args]);
