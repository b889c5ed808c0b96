import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT, Failure, sentenceOf, usage } from '../failure.js';
import type { Environment } from '../output/terminal.js';
import { isLoopback } from '../stack/address.js';

export const DEFAULT_SERVER = 'http://127.0.0.1:7420';
export const DEFAULT_STATE_FOLDER = '.plumbline';

export interface ConnectionFlags {
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** Tokens may go in the clear, also to another host. */
  readonly plainHttp?: boolean | undefined;
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
  const server = serverUrl(flags.server ?? context.env.PLUMBLINE_SERVER, mayBePlain(flags, context.env));
  return { server, token: await findToken(flags, context) };
}

/** Whether somebody who knows the network said that http is good enough there. */
export const mayBePlain = ({ plainHttp }: Pick<ConnectionFlags, 'plainHttp'>, env: Environment): boolean =>
  plainHttp === true || env.PLUMBLINE_PLAIN_HTTP === '1';

/**
 * @param plain whether http may be spoken to other hosts than this one: everybody on the way reads the token then
 * @throws {Failure} usage, when the text is no http(s) address, or http to another host; before any name is looked up
 */
export function serverUrl(text: string | undefined, plain = false): string {
  if (!text) return DEFAULT_SERVER;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw usage(`"${text}" is not the address of a control plane.`, `--server ${DEFAULT_SERVER}`);
  if (url.username || url.password)
    throw usage('The address of the control plane must not hold a password.', '--token-file FILE');
  if (url.protocol === 'http:' && !plain && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    throw plainHttpRefused(url);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

const plainHttpRefused = ({ host, port }: URL): Failure =>
  new Failure(`http to ${host} would send the token in the clear; nothing was sent.`, {
    code: 'plain-http-refused',
    exitCode: EXIT.usage,
    next: `--server https://${host}${port === '' ? ':7420' : ''}, or --plain-http (PLUMBLINE_PLAIN_HTTP=1) where nobody else is on the way`,
  });

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
