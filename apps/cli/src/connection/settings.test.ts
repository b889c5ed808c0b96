import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT, Failure } from '../failure.js';
import { connectionSettings, DEFAULT_SERVER, serverUrl } from './settings.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'plumb-cli-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const failureOf = async (promise: Promise<unknown>): Promise<Failure> => {
  const error = await promise.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (error instanceof Failure) return error;
  throw new Error('a Failure was expected');
};

describe('server', () => {
  it('is the local one unless said otherwise', () => {
    expect(serverUrl(undefined)).toBe(DEFAULT_SERVER);
    expect(serverUrl('https://plumb.example:8443/')).toBe('https://plumb.example:8443');
    expect(serverUrl('http://127.0.0.9/plumbline/')).toBe('http://127.0.0.9/plumbline');
  });
  it.each(['127.0.0.1:7420', 'ftp://x', '', 'nonsense'].filter(Boolean))('%s is refused', (text) => {
    expect(() => serverUrl(text)).toThrow(Failure);
  });
  it('takes no password in the address, and does not repeat it', () => {
    expect(() => serverUrl('http://me:hunter2@h:1')).toThrow(/must not hold a password/);
    expect(() => serverUrl('http://me:hunter2@h:1')).not.toThrow(/hunter2/);
  });
});

describe('http to another host', () => {
  const refused = [
    'http://plumb.example:7420',
    'http://10.0.0.1:7420',
    'http://[2001:db8::1]',
    'http://127.0.0.1.example',
  ];
  it.each(refused)('%s is refused before its name is looked up', (text) => {
    try {
      serverUrl(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'plain-http-refused', exitCode: EXIT.usage });
      expect(String(error)).toContain('in the clear');
    }
  });
  it.each(['http://127.0.0.1:1', 'http://127.255.0.1', 'http://[::1]:1', 'http://localhost:7420'])(
    '%s is this host itself',
    (text) => expect(serverUrl(text)).toBe(text),
  );
  it('is spoken when somebody says so, by flag or environment', async () => {
    const [server, PLUMBLINE_TOKEN] = ['http://10.0.0.1:7420', 't'];
    const asked = (flags: { plainHttp?: boolean }, env: Record<string, string>) =>
      connectionSettings({ server, ...flags }, { env: { PLUMBLINE_TOKEN, ...env }, cwd });
    expect((await asked({ plainHttp: true }, {})).server).toBe(server);
    expect((await asked({}, { PLUMBLINE_PLAIN_HTTP: '1' })).server).toBe(server);
    expect((await failureOf(asked({}, { PLUMBLINE_PLAIN_HTTP: '0' }))).code).toBe('plain-http-refused');
  });
});

describe('token', () => {
  const write = (name: string, text: string): Promise<void> => writeFile(join(cwd, name), text);

  it('comes from the strongest source: flag, environment, environment file, state folder', async () => {
    await mkdir(join(cwd, '.plumbline'));
    await Promise.all([
      write('a', 'from-flag\n'),
      write('b', 'from-env-file\n'),
      write('.plumbline/admin.token', 'usual\n'),
    ]);
    const env = { PLUMBLINE_TOKEN: 'from-env', PLUMBLINE_TOKEN_FILE: 'b' };
    const token = async (flags: { tokenFile?: string }, e: Record<string, string>) =>
      (await connectionSettings(flags, { env: e, cwd })).token;
    expect(await token({ tokenFile: 'a' }, env)).toBe('from-flag');
    expect(await token({}, env)).toBe('from-env');
    expect(await token({}, { PLUMBLINE_TOKEN_FILE: 'b' })).toBe('from-env-file');
    expect(await token({}, {})).toBe('usual');
  });

  it('says how to give one when there is none', async () => {
    const failure = await failureOf(connectionSettings({}, { env: {}, cwd }));
    expect(failure.exitCode).toBe(EXIT.usage);
    expect(failure.next).toContain('--token-file');
  });

  it('names the file that cannot be read', async () => {
    expect((await failureOf(connectionSettings({ tokenFile: 'gone' }, { env: {}, cwd }))).message).toContain('gone');
  });

  it('does not repeat what it could not use', async () => {
    await write('bad', 'secret with blanks\n');
    const failure = await failureOf(connectionSettings({ tokenFile: 'bad' }, { env: {}, cwd }));
    expect(`${failure.message}${failure.next ?? ''}`).not.toContain('secret');
  });
});
