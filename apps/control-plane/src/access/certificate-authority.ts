import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type CertificateAuthority, certificateSha256, makeCa } from '@plumbline/probe-rpc';
import { Settings } from '../persistence/seams.js';

/** The authority of this installation: `D/ca/ca.pem` and `D/ca/ca.key` (0600), made once. */
@Injectable()
export class Authority implements OnModuleInit {
  private loaded: CertificateAuthority | undefined;

  constructor(private readonly settings: Settings) {}

  async onModuleInit(): Promise<void> {
    this.loaded = await readOrMakeCa(this.settings.dataDir);
  }

  get ca(): CertificateAuthority {
    if (!this.loaded) throw new Error('the certificate authority is read when the module starts');
    return this.loaded;
  }

  /** What an enrolment token pins. */
  get sha256(): string {
    return certificateSha256(this.ca.certificate);
  }
}

/**
 * Both files appear at once or not at all; of two processes that start together, one makes them and both read the same.
 * @throws {Error} with a sentence when the folder holds something else
 */
export async function readOrMakeCa(dataDir: string): Promise<CertificateAuthority> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const folder = join(dataDir, 'ca');
  if (!statSync(folder, { throwIfNoEntry: false })) await make(dataDir, folder);
  try {
    const ca = {
      certificate: readFileSync(join(folder, 'ca.pem'), 'utf8'),
      key: readFileSync(join(folder, 'ca.key'), 'utf8'),
    };
    certificateSha256(ca.certificate);
    return ca;
  } catch (error) {
    throw new Error(
      `${folder} does not hold a certificate authority (${error instanceof Error ? error.message : error}). Restore it, or remove it and enrol all probes again.`,
    );
  }
}

async function make(dataDir: string, folder: string): Promise<void> {
  const ca = await makeCa();
  const draft = mkdtempSync(join(dataDir, '.ca-'));
  writeFileSync(join(draft, 'ca.pem'), ca.certificate, { mode: 0o644 });
  writeFileSync(join(draft, 'ca.key'), ca.key, { mode: 0o600 });
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process was first: its authority is the one.
    if (!(error instanceof Error && 'code' in error && ['ENOTEMPTY', 'EEXIST'].includes(String(error.code))))
      throw error;
  }
}
