import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { liveMembers } from './identity.js';
import { runProcess, startProcess } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const sh = (script: string): ['sh', '-c', string] => ['sh', '-c', script];
/** Runs a script of Node's; `sh` would lose signals to its own children. */
const node = (script: string): [string, '-e', string] => [process.execPath, '-e', script];

describe('how a process ends', () => {
  test('exit code, output and times are those of the program', async () => {
    const r = await runProcess({ argv: sh('echo out; echo err >&2; exit 3') });
    expect(r).toMatchObject({ outcome: 'exited', exitCode: 3, signal: null });
    expect([r.stdout.toString(), r.stderr.toString()]).toEqual(['out\n', 'err\n']);
    expect(r.endedAt.getTime()).toBeGreaterThanOrEqual(r.startedAt.getTime());
    expect(r.pid).toBeGreaterThan(0);
  });

  test('the pid is the program, not a wrapper', async () => {
    const r = await runProcess({ argv: sh('echo $$') });
    expect(Number(r.stdout.toString())).toBe(r.pid);
  });

  test('a signal is told', async () => {
    const r = await runProcess({ argv: sh('kill -USR1 $$') });
    expect(r).toMatchObject({ outcome: 'exited', exitCode: null, signal: 'SIGUSR1' });
  });

  test.each([
    ['no such program', ['plumb-no-such-program'] as const, /plumb-no-such-program is not installed/],
    ['no such path', ['/nowhere/program'] as const, /not installed/],
    ['a file that may not be executed', ['/etc/passwd'] as const, /may not be executed/],
  ])('%s is not-started', async (_, argv, sentence) => {
    const r = await runProcess({ argv });
    expect(r).toMatchObject({ outcome: 'not-started', exitCode: null, pid: null });
    expect(r.error).toMatch(sentence);
  });

  test('a script whose interpreter is missing is not-started, not an exit with 127', async () => {
    const file = join(folder, 'script');
    await runProcess({ argv: sh(`printf '#!/nowhere/interpreter\\n' > ${file}; chmod +x ${file}`) });
    expect(await runProcess({ argv: [file] })).toMatchObject({ outcome: 'not-started' });
  });

  test('a folder that does not exist is not-started', async () => {
    expect(await runProcess({ argv: ['true'], cwd: '/nowhere' })).toMatchObject({ outcome: 'not-started' });
  });
});

describe('what it is given', () => {
  test('nothing of our environment but what a program needs, and words in English (A53)', async () => {
    process.env.PLUMB_TEST_SECRET = 'x';
    const r = await runProcess({ argv: ['env'], env: { GIVEN: 'yes' } });
    delete process.env.PLUMB_TEST_SECRET;
    const names = r.stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.sort()).toEqual(['GIVEN', 'HOME', 'LANG', 'LC_ALL', 'PATH']);
    expect(r.stdout.toString().split('\n')).toEqual(expect.arrayContaining(['LANG=C', 'LC_ALL=C']));
  });

  test('stdin is the text and then its end', async () => {
    expect((await runProcess({ argv: ['cat'], stdin: 'text' })).stdout.toString()).toBe('text');
    expect((await runProcess({ argv: ['cat'] })).stdout.toString()).toBe('');
  });

  test('a program that never reads its stdin does no harm', async () => {
    expect(await runProcess({ argv: ['true'], stdin: 'x'.repeat(1 << 20) })).toMatchObject({ exitCode: 0 });
  });

  test('a stdin that is kept open can be written to while it runs', async () => {
    const running = startProcess({
      argv: sh('while read -r line; do echo "got $line"; done'),
      keepStdinOpen: true,
      onStdout: (chunk) => (chunk.toString().includes('two') ? void running.stop() : running.write('two\n')),
    });
    running.write('one\n');
    const { stdout } = await running.result;
    expect(stdout.toString()).toBe('got one\ngot two\n');
    running.write('after its end\n');
  });

  test('CPU time is that of the program: a busy one has far more than a sleeping one', async () => {
    const busy = await runProcess({ argv: node('const t=Date.now(); while(Date.now()-t<400);') });
    const idle = await runProcess({ argv: ['sleep', '0.4'] });
    expect(busy.cpuUserUs).toBeGreaterThan(50_000);
    expect(idle.cpuUserUs).toBeLessThanOrEqual(20_000);
  });
});

describe('ending it', () => {
  test('a program that hangs is ended at its time, and what it said is kept', async () => {
    const r = await runProcess({ argv: sh('echo before; exec sleep 60'), timeoutMs: 300 });
    expect(r).toMatchObject({ outcome: 'timed-out', signal: 'SIGTERM' });
    expect(r.stdout.toString()).toBe('before\n');
    expect(r.durationMs).toBeGreaterThanOrEqual(299);
    expect(r.durationMs).toBeLessThan(10_000);
  });

  test('one that ignores TERM is killed after the grace', async () => {
    const r = await runProcess({ argv: sh('trap "" TERM; while :; do sleep 1; done'), timeoutMs: 300, graceMs: 200 });
    expect(r).toMatchObject({ outcome: 'timed-out', signal: 'SIGKILL' });
    expect(r.durationMs).toBeGreaterThanOrEqual(495);
    expect(liveMembers(r.pid ?? -1)).toEqual([]);
  });

  test('one that answers TERM may say its last words', async () => {
    const script =
      'process.on("SIGTERM",()=>{console.log("last");process.exit(7)});console.log("up");setInterval(()=>{},1e3)';
    const running = startProcess({ argv: node(script), graceMs: 5000, onStdout: () => void running.stop() });
    const r = await running.result;
    expect(r).toMatchObject({ outcome: 'aborted', exitCode: 7 });
    expect(r.stdout.toString()).toBe('up\nlast\n');
  });

  test('the first cause wins', async () => {
    const running = startProcess({ argv: sh('trap "" TERM; while :; do sleep 1; done'), timeoutMs: 100, graceMs: 400 });
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(await running.stop()).toMatchObject({ outcome: 'timed-out' });
  });

  test('an abort signal ends it, also one that came before the start', async () => {
    const stop = new AbortController();
    const running = runProcess({ argv: ['sleep', '60'], signal: stop.signal });
    stop.abort();
    expect(await running).toMatchObject({ outcome: 'aborted' });
    expect(await runProcess({ argv: ['sleep', '60'], signal: stop.signal })).toMatchObject({
      outcome: 'aborted',
      pid: null,
    });
  });

  test('stopping one that has ended changes nothing', async () => {
    const running = startProcess({ argv: ['true'] });
    await running.result;
    expect(await running.stop()).toMatchObject({ outcome: 'exited', exitCode: 0 });
  });
});

describe('what it leaves behind', () => {
  test('grandchildren in its group go with it', async () => {
    const r = await runProcess({ argv: sh('sleep 60 & sleep 60 & echo started') });
    expect(r).toMatchObject({ outcome: 'exited', exitCode: 0 });
    expect(r.stdout.toString()).toBe('started\n');
    expect(liveMembers(r.pid ?? -1)).toEqual([]);
    expect(r.durationMs).toBeLessThan(20_000);
  });

  test('grandchildren that ignore TERM go too', async () => {
    const r = await runProcess({
      argv: sh('(trap "" TERM; while :; do sleep 1; done) & exec sleep 60'),
      timeoutMs: 300,
    });
    expect(r.outcome).toBe('timed-out');
    expect(liveMembers(r.pid ?? -1)).toEqual([]);
  });

  test('a process that left the group and holds the pipes does not make us wait', async () => {
    const r = await runProcess({ argv: sh('setsid sleep 8 & sleep 0.3; echo done') });
    expect(r.stdout.toString()).toBe('done\n');
    expect(r.durationMs).toBeLessThan(6000);
  });
});

describe('output', () => {
  test('a flood is cut at the limit, exactly, and the program ended', async () => {
    const r = await runProcess({ argv: ['yes'], maxOutputBytes: 100_000 });
    expect(r.outcome).toBe('output-too-large');
    expect(r.stdout).toEqual(Buffer.from('y\n'.repeat(50_000)));
  });

  test('the limit counts both streams', async () => {
    const r = await runProcess({ argv: sh('yes out & yes err >&2'), maxOutputBytes: 50_000 });
    expect(r.outcome).toBe('output-too-large');
    expect(r.stdout.length + r.stderr.length).toBe(50_000);
  });

  test('nothing is lost when the program ends at once after much output', async () => {
    const r = await runProcess({ argv: sh('head -c 3000000 /dev/zero') });
    expect(r).toMatchObject({ outcome: 'exited', exitCode: 0 });
    expect(r.stdout.length).toBe(3_000_000);
  });

  test('goes straight to files, private, with the same limit', async () => {
    const files = { stdoutFile: join(folder, 'out'), stderrFile: join(folder, 'err') };
    const r = await runProcess({ argv: sh('echo out; echo err >&2'), output: files });
    expect(r.stdout.length + r.stderr.length).toBe(0);
    expect([readFileSync(files.stdoutFile, 'utf8'), readFileSync(files.stderrFile, 'utf8')]).toEqual([
      'out\n',
      'err\n',
    ]);
    expect(statSync(files.stdoutFile).mode & 0o777).toBe(0o600);
    const flood = await runProcess({ argv: ['yes'], output: files, maxOutputBytes: 100_000 });
    expect(flood.outcome).toBe('output-too-large');
    expect(statSync(files.stdoutFile).size).toBe(100_000);
  });

  test('can be listened to while it goes to a file', async () => {
    const heard: string[] = [];
    const stdoutFile = join(folder, 'heard');
    await runProcess({ argv: sh('echo a; echo b'), output: { stdoutFile }, onStdout: (c) => heard.push(c.toString()) });
    expect(heard.join('')).toBe('a\nb\n');
    expect(readFileSync(stdoutFile, 'utf8')).toBe('a\nb\n');
  });

  test('a file that cannot be opened is not-started', async () => {
    const r = await runProcess({ argv: ['true'], output: { stdoutFile: '/nowhere/file' } });
    expect(r).toMatchObject({ outcome: 'not-started' });
  });

  test('a listener that fails ends the process and says why', async () => {
    const fail = (): void => {
      throw new Error('disk full');
    };
    expect(await runProcess({ argv: ['yes'], onStdout: fail })).toMatchObject({ error: 'disk full' });
  });
});
