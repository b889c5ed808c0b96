import { createPlumblineClient, type PlumblineClient, type RunEventMessage, runEvents } from '@plumbline/api-client';
import { Failure } from '../failure.js';
import type { Environment } from '../output/terminal.js';
import { problemFailure } from './problem.js';
import { type Connection, type ConnectionFlags, connectionSettings } from './settings.js';
import { speaksTls } from './speaks-tls.js';

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The control plane, with its failures made into sentences. */
export interface Api {
  readonly server: string;
  readonly client: PlumblineClient;
  /**
   * Waits for an answer.
   * @param what for the sentence: "Listing sites"
   * @param nextIfMissing what to type when the thing asked about is not there
   * @throws {Failure} when nothing answers, or the control plane says no
   */
  ask<T>(what: string, call: Promise<Answer<T>>, nextIfMissing?: string): Promise<T>;
  /**
   * What happens in a run, until it ends; broken connections are made again.
   * @throws {Failure} as `ask`; the signal's reason when it aborts
   */
  events(runId: string, options?: { after?: number; signal?: AbortSignal }): AsyncGenerator<RunEventMessage>;
}

/** @throws {Failure} usage, when the address or the token is wrong before anything was asked */
export async function connect(
  flags: ConnectionFlags,
  context: { readonly env: Environment; readonly cwd: string },
): Promise<Api> {
  return apiOf(await connectionSettings(flags, context));
}

/** @param ask how requests are made; by default as Node makes them */
export function apiOf({ server, token }: Connection, ask: typeof fetch = fetch): Api {
  const client = createPlumblineClient({ baseUrl: server, token, fetch: (request) => ask(request) });
  return {
    server,
    client,
    async ask(what, call, nextIfMissing) {
      const { data, error, response } = await call.catch(async (cause: unknown) => {
        throw await unreachable(server, what, cause);
      });
      if (!response.ok) throw problemFailure(response.status, error, what, nextIfMissing);
      // A 204 has no data, and its type says so.
      return data as NonNullable<typeof data>;
    },
    async *events(runId, options = {}) {
      try {
        yield* runEvents(server, token, runId, { ...options, fetch: (url, init) => ask(url, init) });
      } catch (cause) {
        options.signal?.throwIfAborted();
        if (cause instanceof Error && cause.name === 'ApiProblem' && 'status' in cause && 'problem' in cause)
          throw problemFailure(Number(cause.status), cause.problem, 'Watching the run', 'plumb run list');
        throw await unreachable(server, 'Watching the run', cause);
      }
    },
  };
}

/** What undici says when a connection broke off, or what came is no http: perhaps TLS is spoken there. */
const BROKEN_OFF = /^(HPE_|UND_ERR_SOCKET$|ECONNRESET$|EPIPE$)/;
/** What OpenSSL says when what came is no TLS. */
const NO_TLS = /WRONG_VERSION_NUMBER|^EPROTO$|PACKET_LENGTH_TOO_LONG/;

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;

/** Why there is no answer at all: the cause that fetch keeps inside its "fetch failed". */
export async function unreachable(server: string, what: string, cause: unknown): Promise<Failure> {
  const code = causeCode(cause);
  if (CERTIFICATE.test(code))
    return new Failure(`${what} failed: the certificate of ${server} cannot be verified (${code}).`, {
      next: 'name its issuer: NODE_EXTRA_CA_CERTS=CA.pem plumb ...',
      cause,
    });
  const plain = server.startsWith('http:');
  if (plain && BROKEN_OFF.test(code) && (await speaksTls(server)))
    return new Failure(`${what} failed: ${server} answers, but not in http.`, {
      next: `try --server ${server.replace(/^http:/, 'https:')}`,
      cause,
    });
  if (!plain && NO_TLS.test(code))
    return new Failure(`${what} failed: ${server} answers, but not in https.`, {
      next: 'is the port right? A control plane without TLS is reached from its own host, or through its proxy',
      cause,
    });
  return new Failure(`${what} failed: nothing answers at ${server} (${code}).`, {
    next: `is it running? Start it with: plumb up${upFlags(server)}`,
    cause,
  });
}

function causeCode(cause: unknown): string {
  // Ends: an error has finitely many causes, and five are enough.
  for (let error = cause, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++)
    if ('code' in error && typeof error.code === 'string') return error.code;
  return cause instanceof Error ? cause.message : String(cause);
}

function upFlags(server: string): string {
  const { hostname, port } = new URL(server);
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && port !== '' ? ` --port ${port}` : '';
}
