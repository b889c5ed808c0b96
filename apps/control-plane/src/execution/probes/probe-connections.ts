import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ended, parseProbeAddress } from '@plumbline/model';
import { connectProbe, type Identity, ProbeCallError, type ProbeConnection } from '@plumbline/probe-rpc';
import { ControlPlaneIdentity } from './control-plane-identity.js';
import type { ProbeTarget } from './probe-facts.js';

interface Held {
  readonly connection: ProbeConnection;
  readonly address: string;
  readonly identity: Identity | undefined;
}

/** One connection a probe, made when first needed and again when its address or our certificate changes. */
@Injectable()
export class ProbeConnections implements OnApplicationShutdown {
  private readonly held = new Map<string, Held>();

  constructor(private readonly identity: ControlPlaneIdentity) {}

  /** @throws {ProbeCallError} refused, probe-identity-mismatch, when the address needs a certificate and there is none */
  async to(target: ProbeTarget): Promise<ProbeConnection> {
    const tcp = parseProbeAddress(target.address).kind === 'tcp';
    const identity = tcp ? await this.identity.current() : undefined;
    const held = this.held.get(target.name);
    if (held && held.address === target.address && held.identity === identity) return held.connection;
    if (tcp && !identity) {
      const detail = `${target.address} needs TLS, and this control plane has no certificate authority yet.`;
      throw new ProbeCallError('refused', ended('probe-identity-mismatch').reason, detail);
    }
    const connection = connectProbe({ address: target.address, name: target.name, ...(identity ? { identity } : {}) });
    this.held.set(target.name, { connection, address: target.address, identity });
    held?.connection.close();
    return connection;
  }

  /** For a probe that is gone for good. */
  forget(name: string): void {
    this.held.get(name)?.connection.close();
    this.held.delete(name);
  }

  onApplicationShutdown(): void {
    for (const { connection } of this.held.values()) connection.close();
    this.held.clear();
  }
}
