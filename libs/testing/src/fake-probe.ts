import { randomUUID } from 'node:crypto';
import { abilities as allAbilities, type ProbeHost } from '@plumbline/measure';
import { VERSION } from '@plumbline/model';
import { makeKey, type ServedProbe, serveProbe } from '@plumbline/probe-rpc';
import { CANNED_TOOLS } from './canned/outputs.js';
import { FakeService } from './fake-service.js';
import type { FakeProbe, FakeProbeOptions } from './fake-types.js';
import { scriptedAbilities } from './scripted.js';

/**
 * A probe in this process that keeps the probe's contract (the conformance suite says so) and runs no program.
 * @throws {Error} when the address cannot be used
 */
export async function startFakeProbe(options: FakeProbeOptions): Promise<FakeProbe> {
  const tools = options.tools ?? CANNED_TOOLS;
  const congestionControls = options.congestionControls ?? ['reno', 'cubic', 'bbr'];
  const host: ProbeHost = { tools, congestionControls, root: true };
  const service = new FakeService({
    ...options,
    host,
    key: options.identity?.key ?? makeKey(),
    bootId: randomUUID(),
    version: options.version ?? VERSION,
    defaultCongestionControl: options.defaultCongestionControl ?? 'cubic',
    abilities: options.abilities ?? [...allAbilities, ...scriptedAbilities],
    onDeath: () => void die(),
  });
  const serve = (): Promise<ServedProbe> =>
    serveProbe({ address: options.address, identity: options.identity, implementation: service.implementation });
  let served: ServedProbe | undefined = await serve();
  const die = async (): Promise<void> => {
    const dead = served;
    served = undefined;
    service.die();
    await dead?.close(0);
  };
  return {
    name: options.name,
    address: options.address,
    started: service.started,
    calls: service.calls,
    setVersion: (version) => service.setVersion(version),
    die,
    async revive() {
      service.comeBack();
      served ??= await serve();
    },
    fallSilent: (on) => service.fallSilent(on),
    close: die,
  };
}
