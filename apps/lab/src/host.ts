import {
  type ProcessResult,
  type ProcessSpec,
  type RunningProcess,
  runProcess,
  startProcess,
} from '@plumbline/process';
import { LabError } from './lab-error.js';
import { type LabPlace, type LabState, labDir, readState } from './lab-state.js';
import { HOSTS, type Host, namespaceOf, parseLabName } from './topology.js';

export type LabExecOptions = Omit<ProcessSpec, 'argv'> & LabPlace;

/** The state of a lab that must be there. @throws {LabError} lab-not-found */
export async function requireLab(name: string, place: LabPlace = {}): Promise<LabState> {
  const state = await readState(parseLabName(name), place);
  if (state) return state;
  throw new LabError(
    'lab-not-found',
    `there is no lab '${name}' in ${labDir(name, place)}; make it: plumb lab up --name ${name}`,
  );
}

/** @throws {LabError} host-unknown */
export function parseHost(text: string): Host {
  const host = HOSTS.find((known) => known === text);
  if (host) return host;
  throw new LabError('host-unknown', `'${text}' is no host of a lab; there are ${HOSTS.join(', ')}`);
}

/**
 * The command line that runs a program on a host of a lab. `ip netns exec` executes into it: pid, group and death
 * signal are the program's.
 * @throws {LabError} host-unknown, invalid-options
 */
export function labArgv(name: string, host: Host, argv: readonly string[]): [string, ...string[]] {
  const [program = ''] = argv;
  if (program === '' || program.startsWith('-'))
    throw new LabError('invalid-options', `'${program}' is not a program to run`);
  return ['ip', 'netns', 'exec', namespaceOf(parseLabName(name), parseHost(host)), ...argv];
}

/**
 * Runs a program on a host of the lab to its end.
 * @throws {LabError} lab-not-found, host-unknown; how the program ended is in the result
 */
export async function labExec(
  name: string,
  host: Host,
  argv: readonly string[],
  options: LabExecOptions = {},
): Promise<ProcessResult> {
  const { labsDir, ...spec } = options;
  await requireLab(name, { labsDir });
  return runProcess({ ...spec, argv: labArgv(name, host, argv) });
}

/** Starts a program on a host of the lab, such as a server. @throws {LabError} lab-not-found, host-unknown */
export async function labStart(
  name: string,
  host: Host,
  argv: readonly string[],
  options: LabExecOptions = {},
): Promise<RunningProcess> {
  const { labsDir, ...spec } = options;
  await requireLab(name, { labsDir });
  return startProcess({ ...spec, argv: labArgv(name, host, argv) });
}

const SYSCTL_KEY = /^net\.(ipv4|ipv6)\.[A-Za-z0-9_.-]{1,100}$/;
const SYSCTL_VALUE = /^[A-Za-z0-9_ \t.,-]{1,200}$/;
const SYSCTL_WITHIN_MS = 10_000;

/**
 * Sets a kernel setting of one host and returns what the kernel then says it is. Only settings that a namespace owns:
 * the machine's own values are never changed.
 * @throws {LabError} sysctl-refused with a sentence, lab-not-found, host-unknown
 */
export async function labSysctl(
  name: string,
  host: Host,
  key: string,
  value: string,
  place: LabPlace = {},
): Promise<string> {
  refuseSetting(key, value);
  const run = async (...args: string[]): Promise<string> => {
    const result = await labExec(name, host, ['sysctl', ...args], { ...place, timeoutMs: SYSCTL_WITHIN_MS });
    if (result.outcome === 'exited' && result.exitCode === 0) return result.stdout.toString('utf8').trim();
    const said = result.error ?? result.stderr.toString('utf8').trim();
    throw new LabError('sysctl-refused', `the kernel does not take ${key} = ${value} in a namespace: ${said}`);
  };
  await run('-qw', `${key}=${value}`);
  return run('-n', key);
}

function refuseSetting(key: string, value: string): void {
  if (key.startsWith('net.core.'))
    throw new LabError(
      'sysctl-refused',
      `${key} belongs to the whole machine, not to a namespace, and a lab never changes the machine it runs on; tcp_rmem and tcp_wmem are per host of the lab`,
    );
  if (!SYSCTL_KEY.test(key))
    throw new LabError(
      'sysctl-refused',
      `'${key}' is not a setting of a lab host; those begin with net.ipv4. or net.ipv6.`,
    );
  if (!SYSCTL_VALUE.test(value)) throw new LabError('sysctl-refused', `'${value}' is not a value for ${key}`);
}
