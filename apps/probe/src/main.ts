import { ended } from '@plumbline/model';
import { type ServedProbe, serveProbe } from '@plumbline/probe-rpc';
import { keepShellsWaiting } from '@plumbline/process';
import { type Logger, pino } from 'pino';
import { Children } from './children.js';
import { type Configuration, type ProbeOptions, readConfiguration } from './configuration.js';
import { openDataFolder } from './data-folder.js';
import { Attempts } from './execution/attempts.js';
import { Credentials } from './execution/credentials.js';
import { EndedAttempts } from './execution/ended-attempts.js';
import { Executor } from './execution/execute.js';
import { Fences } from './execution/fences.js';
import { Turnstile } from './execution/refused.js';
import { Responder } from './execution/respond.js';
import { Starter } from './execution/starter.js';
import { endpointWarning, hostAddresses } from './host/addresses.js';
import { HostFacts } from './host/facts.js';
import { Ports } from './host/ports.js';
import { loadIdentity, type ProbeIdentity } from './identity/identity.js';
import { everyHour, isDueForRenewal, renew } from './identity/renewal.js';
import { makeService } from './service.js';
import { Spool } from './spool/spool.js';

export interface RunningProbe {
  readonly name: string;
  readonly address: string;
  /** Ends all programs, says to the spool that their attempts are lost, and gives everything back. At most about 3 s. */
  stop(): Promise<void>;
}

/**
 * Starts a probe in this process.
 * @throws {Error} with a sentence that says what is wrong with an option, the data folder or the address
 */
export async function startProbe(options: ProbeOptions): Promise<RunningProbe> {
  const configuration = readConfiguration(options);
  const logger: Logger = pino(
    { level: configuration.logLevel, base: { probe: configuration.name } },
    pino.destination({ fd: 2, sync: true }),
  );
  const folder = openDataFolder(configuration.dataDir);
  try {
    let identity = loadIdentity(folder.identity, configuration.name);
    const children = new Children(folder.children);
    const orphans = await children.endLeftOvers();
    const spool = new Spool(folder.spool);
    const attempts = new Attempts(spool, new Fences(folder.fences), new EndedAttempts(folder.ended));
    const lost = await attempts.recover();
    attempts.prune();
    if (orphans + lost > 0) logger.warn({ orphans, lost }, 'recovered from an end in the middle');
    const facts = new HostFacts(folder.temporary);
    await facts.refresh();
    const credentials = new Credentials();
    const [turnstile, ports] = [new Turnstile(), new Ports(configuration.ports)];
    const starter = new Starter(attempts, spool, children, folder.temporary, configuration.now, logger);
    const who = (): ProbeIdentity => identity;
    const executor = new Executor(configuration, attempts, starter, turnstile, ports, facts, who);
    const responder = new Responder(configuration, attempts, starter, turnstile, ports, facts, who, credentials);
    const implementation = makeService({
      configuration,
      attempts,
      executor,
      responder,
      facts,
      identity: who,
      temporary: folder.temporary,
      logger,
    });
    const served = await serveProbe({ address: configuration.listen, implementation, identity: identity.enrolled });
    credentials.prepare();
    keepShellsWaiting(SHELLS);
    const stopHourly = everyHour(async () => {
      attempts.prune();
      identity = await renewIfDue(configuration, folder.identity, identity, served, logger);
    });
    logger.info({ listen: configuration.listen, version: configuration.version }, 'probe listens');
    warnOfEndpoints(configuration, logger);
    const stop = async (): Promise<void> => {
      stopHourly();
      keepShellsWaiting(0);
      await Promise.all([served.close(500), attempts.endAll(ended('probe-stopped'))]);
      folder.release();
      logger.info('probe stopped');
    };
    return { name: configuration.name, address: configuration.listen, stop };
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** A test starts its baseline and its client, or a server; with a capture, one more. */
const SHELLS = 3;

/** An interface may come later, so this is no reason not to start. */
function warnOfEndpoints({ endpoints }: Configuration, logger: Logger): void {
  const has = hostAddresses();
  for (const endpoint of endpoints) {
    const warning = endpointWarning(endpoint, has);
    if (warning !== undefined) logger.warn({ ...endpoint }, warning);
  }
}

/** Never rejects: the present certificate holds for days more, and the next hour tries again. */
async function renewIfDue(
  { name, now }: Configuration,
  folder: string,
  identity: ProbeIdentity,
  served: ServedProbe,
  logger: Logger,
): Promise<ProbeIdentity> {
  const { enrolled } = identity;
  if (!enrolled || !isDueForRenewal(enrolled, now())) return identity;
  try {
    await renew(enrolled, name, folder, now());
    const next = loadIdentity(folder, name);
    if (next.enrolled) served.renew(next.enrolled);
    logger.info({ notAfter: next.enrolled?.notAfter }, 'certificate renewed');
    return next;
  } catch (error) {
    logger.error({ err: error, notAfter: enrolled.notAfter }, 'the certificate could not be renewed');
    return identity;
  }
}

/**
 * `plumb probe`: runs until SIGTERM or SIGINT. Prints one line when it is ready.
 * @returns the exit code: 0 after an orderly end, 1 when it could not start (a sentence on stderr says why)
 */
export async function main(options: ProbeOptions): Promise<number> {
  let probe: RunningProbe;
  try {
    probe = await startProbe(options);
  } catch (error) {
    process.stderr.write(`plumb probe: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  process.stdout.write(`plumb probe ${probe.name} listening on ${probe.address}\n`);
  // Ends with the first signal; that is what a probe waits for.
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  await probe.stop();
  return 0;
}
