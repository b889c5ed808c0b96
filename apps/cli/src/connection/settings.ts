import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Failure, sentenceOf, usage } from '../failure.js';
import type { Environment } from '../output/terminal.js';

export const DEFAULT_SERVER = 'http://127.0.0.1:7420';
export const DEFAULT_STATE_FOLDER = '.plumbline';

export interface ConnectionFlags {
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
}
export interface Connection {
  /** Without a slash at its end. */
  readonly server: string;
  readonly token: string;
}

/**
 * Where the control plane is and what opens it. Strongest first: flag, environment, default. A token is never a flag:
 * everybody on the host can read an argv.
 * @throws {Failure} usage, when the address is none or no token is to be found
 */
export async function connectionSettings(
  flags: ConnectionFlags,
  context: { readonly env: Environment; readonly cwd: string },
): Promise<Connection> {
  return { server: serverUrl(flags.server ?? context.env.PLUMBLINE_SERVER), token: await findToken(flags, context) };
}

/** @throws {Failure} usage, when the text is no http(s) address */
export function serverUrl(text: string | undefined): string {
  if (!text) return DEFAULT_SERVER;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw usage(`"${text}" is not the address of a control plane.`, `--server ${DEFAULT_SERVER}`);
  if (url.username || url.password)
    throw usage('The address of the control plane must not hold a password.', '--token-file FILE');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

async function findToken(
  flags: ConnectionFlags,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): Promise<string> {
  if (flags.tokenFile) return tokenIn(resolve(cwd, flags.tokenFile), '--token-file');
  if (env.PLUMBLINE_TOKEN) return checkedToken(env.PLUMBLINE_TOKEN, 'PLUMBLINE_TOKEN');
  if (env.PLUMBLINE_TOKEN_FILE) return tokenIn(resolve(cwd, env.PLUMBLINE_TOKEN_FILE), 'PLUMBLINE_TOKEN_FILE');
  const usual = resolve(cwd, DEFAULT_STATE_FOLDER, 'admin.token');
  try {
    return checkedToken(await readFile(usual, 'utf8'), usual);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(
      'There is no token to show to the control plane.',
      `--token-file FILE (plumb up keeps its own in DATA-DIR/admin.token), or set PLUMBLINE_TOKEN`,
    );
  }
}

async function tokenIn(file: string, from: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usage(`The token file ${file} of ${from} cannot be read: ${sentenceOf(error)}.`);
  });
  return checkedToken(text, file);
}

/** What is no single word of printable characters is no token; it is not repeated in the message. */
function checkedToken(text: string, from: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw usage(`${from} holds no token: one line of printable characters is expected.`);
}
