import { Channel, ChannelCredentials } from '@grpc/grpc-js';
import { parseProbeAddress } from '@plumbline/model';
import { type CallOptions, createClientFactory, type Metadata } from 'nice-grpc';
import { deadlineMiddleware } from 'nice-grpc-client-middleware-deadline';
import { HealthDefinition } from 'nice-grpc-server-health';
import { type Identity, probeDnsName, wrongProbe } from './certificate.js';
import { ProbeCallError, toCallError } from './errors.js';
import {
  type AcknowledgeResponse,
  type ExecuteResponse,
  type InventoryResponse,
  type ListAttemptsResponse,
  type ProbeServiceClient,
  ProbeServiceDefinition,
  type RespondResponse,
  type SnapshotResponse,
  type StopResponse,
} from './generated/plumbline/probe/v1/probe.js';
import { KEEPALIVE, SILENCE_MS } from './limits.js';

type Request<Call extends keyof ProbeServiceClient> = Parameters<ProbeServiceClient[Call]>[0];

export interface CallSettings {
  /** Gives the call up; an attempt goes on. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole call; Execute has none. */
  readonly deadlineMs?: number;
}

/** A probe as the control plane sees it. Every call throws a ProbeCallError and nothing else. */
export interface ProbeConnection {
  readonly address: string;
  inventory(request: Request<'inventory'>, settings?: CallSettings): Promise<InventoryResponse>;
  snapshot(request: Request<'snapshot'>, settings?: CallSettings): Promise<SnapshotResponse>;
  respond(request: Request<'respond'>, settings?: CallSettings): Promise<RespondResponse>;
  /**
   * Events until and with Finished, without the Alive ones. Ends with ProbeCallError `unreachable` after `silenceMs` without a
   * word; the attempt goes on then: call again with `attachOnly` and the last `sequence` as `afterSequence`.
   */
  execute(
    request: Request<'execute'>,
    settings?: { signal?: AbortSignal; silenceMs?: number },
  ): AsyncGenerator<ExecuteResponse, void>;
  stop(request: Request<'stop'>, settings?: CallSettings): Promise<StopResponse>;
  acknowledge(request: Request<'acknowledge'>, settings?: CallSettings): Promise<AcknowledgeResponse>;
  listAttempts(settings?: CallSettings): Promise<ListAttemptsResponse>;
  /** The standard health service: whether the probe takes calls. */
  health(settings?: CallSettings): Promise<boolean>;
  close(): void;
}

export interface ConnectOptions {
  /** `host:port`, `[v6]:port` or `unix:/path` */
  readonly address: string;
  /** Which probe must be there: its certificate is checked for it. */
  readonly name: string;
  /** The control plane's. Needed for TCP; a unix socket has neither TLS nor certificates. */
  readonly identity?: Identity;
}

const DEADLINE_MS = 5000;
/** Respond waits up to 5 s for the far server to listen. */
const RESPOND_DEADLINE_MS = 10_000;

/**
 * A connection that is made with the first call and made again by itself. Close it when the probe is gone for good.
 * @throws {RangeError} when the address cannot be read, or is TCP and there is no identity
 */
export function connectProbe(options: ConnectOptions): ProbeConnection {
  const channel = openChannel(options);
  const factory = createClientFactory().use(deadlineMiddleware);
  const client = factory.create(ProbeServiceDefinition, channel);
  const health = factory.create(HealthDefinition, channel);
  return {
    address: options.address,
    inventory: (request, settings) => call((o) => client.inventory(request, o), settings),
    snapshot: (request, settings) => call((o) => client.snapshot(request, o), settings),
    respond: (request, settings) => call((o) => client.respond(request, o), settings, RESPOND_DEADLINE_MS),
    execute: (request, settings) => executeStream((o) => client.execute(request, o), settings),
    stop: (request, settings) => call((o) => client.stop(request, o), settings),
    acknowledge: (request, settings) => call((o) => client.acknowledge(request, o), settings),
    listAttempts: (settings) => call((o) => client.listAttempts({}, o), settings),
    health: async (settings) => (await call((o) => health.check({ service: '' }, o), settings)).status === SERVING,
    close: () => channel.close(),
  };
}

/** grpc.health.v1.HealthCheckResponse.ServingStatus */
const SERVING = 1;

function openChannel({ address, name, identity }: ConnectOptions): Channel {
  const parsed = parseProbeAddress(address);
  const options = {
    ...KEEPALIVE,
    'grpc.initial_reconnect_backoff_ms': 200,
    'grpc.max_reconnect_backoff_ms': 1000,
    // Another connection with other certificates must not be shared, and nothing is tried twice behind our back.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
  };
  if (parsed.kind === 'unix') return new Channel(`unix:${parsed.path}`, ChannelCredentials.createInsecure(), options);
  if (!identity)
    throw new RangeError(`${address} needs TLS: enrol the probe and connect with the control plane's identity`);
  const [ca, key, certificate] = [identity.ca, identity.key, identity.certificate].map((pem) => Buffer.from(pem));
  const credentials = ChannelCredentials.createSsl(ca, key, certificate, {
    checkServerIdentity: (_host, peer) => wrongProbe(name, peer),
  });
  const host = parsed.host.includes(':') ? `[${parsed.host}]` : parsed.host;
  return new Channel(`${host}:${parsed.port}`, credentials, {
    ...options,
    'grpc.ssl_target_name_override': probeDnsName(name),
  });
}

async function call<T>(
  start: (options: CallOptions & { deadline: number }) => Promise<T>,
  settings: CallSettings = {},
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  let trailer: Metadata | undefined;
  try {
    return await start({
      ...(settings.signal ? { signal: settings.signal } : {}),
      deadline: settings.deadlineMs ?? deadlineMs,
      onTrailer: (metadata) => {
        trailer = metadata;
      },
    });
  } catch (error) {
    throw toCallError(error, trailer, settings.signal);
  }
}

async function* executeStream(
  start: (options: CallOptions) => AsyncIterable<ExecuteResponse>,
  settings: { signal?: AbortSignal; silenceMs?: number } = {},
): AsyncGenerator<ExecuteResponse, void> {
  const silenceMs = settings.silenceMs ?? SILENCE_MS;
  const silence = new AbortController();
  const signal = settings.signal ? AbortSignal.any([settings.signal, silence.signal]) : silence.signal;
  let trailer: Metadata | undefined;
  const onTrailer = (metadata: Metadata): void => {
    trailer = metadata;
  };
  const events = start({ signal, onTrailer })[Symbol.asyncIterator]();
  let finished = false;
  try {
    // Ends with Finished, with the end of the stream, or when nothing comes for silenceMs.
    while (!finished) {
      const timer = setTimeout(() => silence.abort(), silenceMs);
      const next = await events.next().finally(() => clearTimeout(timer));
      if (next.done) break;
      finished = next.value.event?.$case === 'finished';
      if (next.value.event?.$case !== 'alive') yield next.value;
    }
  } catch (error) {
    if (silence.signal.aborted)
      throw new ProbeCallError('unreachable', 'probe-unreachable', `The probe has said nothing for ${silenceMs} ms.`);
    throw toCallError(error, trailer, settings.signal);
  } finally {
    silence.abort();
    await events.return?.().catch(() => undefined);
  }
  if (!finished)
    throw new ProbeCallError('unreachable', 'probe-unreachable', 'The probe closed the stream in the middle.');
}
