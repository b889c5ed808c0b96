// @ts-check
// The programs that npm cannot bring, as Debian and Ubuntu name them.
import { existsSync } from 'node:fs';
import { SetupFailure } from './failure.mjs';
import { findProgram, outerEnvironment } from './places.mjs';

/**
 * What is looked for (a program in PATH, or a file), the package that has it, and the tasks that need it.
 * @type {readonly { needs: string, package: string, for: readonly ('start' | 'test')[] }[]}
 */
export const SYSTEM_NEEDS = [
  { needs: 'redis-server', package: 'redis-server', for: ['start', 'test'] },
  { needs: 'iperf3', package: 'iperf3', for: ['start', 'test'] },
  { needs: 'ping', package: 'iputils-ping', for: ['start', 'test'] },
  { needs: 'ip', package: 'iproute2', for: ['start', 'test'] },
  { needs: 'ss', package: 'iproute2', for: ['start', 'test'] },
  { needs: 'ethtool', package: 'ethtool', for: ['start', 'test'] },
  // The lab compiles its link emulator.
  { needs: 'gcc', package: 'gcc', for: ['start', 'test'] },
  { needs: '/usr/include/stdio.h', package: 'libc6-dev', for: ['start', 'test'] },
  { needs: 'setpriv', package: 'util-linux', for: ['start', 'test'] },
  { needs: 'flock', package: 'util-linux', for: ['start', 'test'] },
  { needs: 'unshare', package: 'util-linux', for: ['start', 'test'] },
  { needs: 'ps', package: 'procps', for: ['start', 'test'] },
  { needs: 'sysctl', package: 'procps', for: ['start', 'test'] },
  // The tests in the lab measure with them; a probe without one refuses its tests and names the package.
  { needs: 'hping3', package: 'hping3', for: ['test'] },
  { needs: 'mtr', package: 'mtr-tiny', for: ['test'] },
  { needs: 'tracepath', package: 'iputils-tracepath', for: ['test'] },
  { needs: 'pchar', package: 'pchar', for: ['test'] },
  // Measures the link emulator without our own parsers.
  { needs: 'tcpdump', package: 'tcpdump', for: ['test'] },
];

/** @param {string} need */
const isThere = (need) => (need.startsWith('/') ? existsSync(need) : findProgram(need) !== undefined);

/**
 * The packages that a task lacks, each once.
 * @param {string} task
 * @param {(need: string) => boolean} has
 */
export function missingPackages(task, has = isThere) {
  const role = task === 'start' ? 'start' : 'test';
  // Compiling needs none of them.
  if (task === 'build') return [];
  const lacking = SYSTEM_NEEDS.filter((need) => need.for.includes(role) && !has(need.needs));
  return [...new Set(lacking.map((need) => need.package))];
}

/** @param {readonly string[]} packages */
export const installCommand = (packages) =>
  `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`;

/**
 * Installs what the task lacks, or stops with the exact command.
 * @param {string} task
 * @param {import('./lifeline.mjs').Runner} life
 */
export async function ensureSystemPackages(task, life) {
  const packages = missingPackages(task);
  if (packages.length === 0) return;
  const needed = `Plumbline needs these Debian packages: ${packages.join(', ')}.`;
  if (findProgram('apt-get') === undefined)
    throw new SetupFailure(`${needed} There is no apt-get here: install them as your system does, and run this again.`);
  const byHand = `Install them and run this again:\n  ${installCommand(packages)}`;
  const asRoot = process.getuid?.() === 0 ? [] : await passwordless(life);
  if (asRoot === undefined) throw new SetupFailure(`${needed} ${byHand}`);
  console.log(`Installing ${packages.join(' ')} ...`);
  const redisWasThere = findProgram('redis-server') !== undefined;
  // RUNLEVEL: no service is started where there is no systemd. A second apt is waited for.
  const apt = [
    ...asRoot,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'RUNLEVEL=1',
    'apt-get',
    '-q',
    '-o',
    'DPkg::Lock::Timeout=300',
  ];
  const env = outerEnvironment(process.env);
  // An update that reaches only some mirrors may still do; the install tells.
  await life.run([...apt, 'update'], { env });
  const { code } = await life.run([...apt, 'install', '-y', '--no-install-recommends', ...packages], { env });
  life.throwIfStopped();
  const still = missingPackages(task);
  if (code !== 0 || still.length > 0) throw new SetupFailure(`The installation failed. ${byHand}`);
  if (packages.includes('redis-server') && !redisWasThere) await silenceRedisService(asRoot, life);
}

/** @param {import('./lifeline.mjs').Runner} life */
async function passwordless(life) {
  if (findProgram('sudo') === undefined) return undefined;
  const { code } = await life.run(['sudo', '-n', 'true'], { quiet: true });
  return code === 0 ? ['sudo', '-n'] : undefined;
}

/**
 * Debian starts what it installs. Plumbline runs a Redis of its own, so the one that came as a service is not left open.
 * @param {readonly string[]} asRoot
 * @param {import('./lifeline.mjs').Runner} life
 */
async function silenceRedisService(asRoot, life) {
  if (!existsSync('/run/systemd/system')) return;
  await life.run([...asRoot, 'systemctl', 'disable', '--now', 'redis-server'], { quiet: true });
  console.log('The service redis-server that came with the package is off: Plumbline runs its own.');
}
