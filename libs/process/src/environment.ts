import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian keeps ip, tc and ethtool; an unprivileged user's PATH often lacks them. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The environment of every child: what a program needs to be found and to print in English, and nothing of ours. */
export function minimalEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const path = [...new Set([...folders, ...SYSTEM_FOLDERS])].join(delimiter);
  return { PATH: path, HOME: process.env.HOME ?? '/', LANG: 'C', LC_ALL: 'C', ...extra };
}

/** The file that would be executed for `program`, or undefined when there is none that may be executed. */
export function findProgram(program: string, path: string = minimalEnvironment().PATH ?? ''): string | undefined {
  if (program.includes('/')) return isExecutable(program) ? program : undefined;
  return path
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
