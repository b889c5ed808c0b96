import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '@plumbline/process';

export type Argv = readonly [string, ...string[]];
export interface Answer {
  /** What it printed, when it ended with 0. */
  readonly text: string;
  /** Why there is no text; empty: it ended with 0. */
  readonly error: string;
  /** Both of its streams, however it ended. */
  readonly printed: string;
}

/**
 * Runs short commands at once, as children of one small shell: to start each from here would copy our page tables and start
 * setpriv every time, several times of what the command takes. What has not ended after `deadlineMs` is ended and says so.
 * @param temporary a folder in which the outputs may lie meanwhile
 * @returns an answer for each, in their order
 */
export async function runCommands(argvs: readonly Argv[], temporary: string, deadlineMs = 1000): Promise<Answer[]> {
  const folder = mkdtempSync(join(temporary, 'commands-'));
  try {
    const script = argvs.map(
      (argv, i) => `{ ${argv.map(quoted).join(' ')} >${i}.out 2>${i}.err; echo $? >${i}.code; } &`,
    );
    await runProcess({
      // Facts give way to measurements: on two cores they would hold up the test's own programs.
      argv: ['nice', '-n', '19', 'sh', '-c', [...script, 'wait'].join('\n')],
      cwd: folder,
      timeoutMs: deadlineMs,
      graceMs: 50,
    });
    return argvs.map((argv, i) => readAnswer(argv, join(folder, `${i}`), deadlineMs));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** For sh: nothing inside single quotes has a meaning but the quote itself (POSIX, 2.2.2). */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

function readAnswer([program]: Argv, file: string, deadlineMs: number): Answer {
  const [out, err, code] = [read(`${file}.out`), read(`${file}.err`), read(`${file}.code`).trim()];
  const printed = `${out}\n${err}`;
  if (code === '') return { text: '', error: `${program} did not answer within ${deadlineMs} ms`, printed };
  if (code === '0') return { text: out, error: '', printed };
  const said = err.trim().slice(0, 300);
  return {
    text: '',
    error: code === '127' ? `${program} is not installed` : said || `${program} ended with ${code}`,
    printed,
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
