import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type Identity, issueControlPlaneCertificate } from '@plumbline/probe-rpc';
import { Settings } from '../../persistence/seams.js';

/** A certificate is made anew when it has less than this left. */
const RENEW_BEFORE_MS = 10 * 86_400_000;

/** The client certificate with which this process calls probes over TCP. It lives in memory: only the CA is on disk. */
@Injectable()
export class ControlPlaneIdentity {
  private made: { identity: Identity; notAfter: Date } | undefined;
  private making: Promise<Identity | undefined> | undefined;

  constructor(private readonly settings: Settings) {}

  /** @returns undefined while there is no certificate authority in D/ca: then only unix sockets can be called */
  current(): Promise<Identity | undefined> {
    if (this.made && this.made.notAfter.getTime() - Date.now() > RENEW_BEFORE_MS)
      return Promise.resolve(this.made.identity);
    this.making ??= this.make().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  private async make(): Promise<Identity | undefined> {
    const folder = join(this.settings.dataDir, 'ca');
    let ca: { certificate: string; key: string };
    try {
      const [certificate, key] = await Promise.all(
        ['ca.pem', 'ca.key'].map((file) => readFile(join(folder, file), 'utf8')),
      );
      ca = { certificate: certificate ?? '', key: key ?? '' };
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    const issued = await issueControlPlaneCertificate(ca);
    const identity = { ca: ca.certificate, certificate: issued.certificate, key: issued.key };
    this.made = { identity, notAfter: issued.notAfter };
    return identity;
  }
}
