import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProblemError } from '@plumbline/model';
import {
  certificateSha256,
  isCsrSignedBy,
  issueProbeCertificate,
  makeEnrolmentToken,
  parseEnrolmentToken,
  probeCertificateProblem,
  readCertificate,
} from '@plumbline/probe-rpc';
import { Authority } from '../access/certificate-authority.js';
import { bearerToken, unauthorized } from '../access/tokens.js';
import { invalid } from '../http/refusals.js';
import { Database, type Transaction } from '../persistence/seams.js';
import { csrCommonName } from './csr-name.js';
import type { Enrolment, IssuedCertificate, RenewalRequest } from './enrolment-schemas.js';

const TOKEN_MS = 15 * 60_000;
const PROBE_URI = /^URI:plumbline:\/\/probe\/(.+)$/;

/** How a probe gets its certificate: a token that is good once, then its own request; later its old key vouches for the new. */
@Injectable()
export class Enrolments {
  constructor(
    private readonly database: Database,
    private readonly authority: Authority,
  ) {}

  /** A token for a probe of that name, whether it is registered already or not: it is enrolled before it can be reached. */
  async invite(probeName: string): Promise<Enrolment> {
    const caSha256 = this.authority.sha256;
    const token = makeEnrolmentToken(caSha256, probeName);
    const expiresAt = new Date(Date.now() + TOKEN_MS);
    const { enrolmentToken } = this.database.client;
    await enrolmentToken.deleteMany({ where: { expiresAt: { lt: new Date(Date.now() - 24 * 3_600_000) } } });
    await enrolmentToken.create({ data: { hash: hashOf(token), probeName, expiresAt } });
    return { token, expiresAt: expiresAt.toISOString(), caSha256 };
  }

  /** A token that could be used now. @throws {ProblemError} enrolment-token-invalid */
  async openToken(authorization: string | undefined): Promise<{ hash: string; probe: string }> {
    const text = bearerToken(authorization);
    const token = text === undefined ? undefined : parseEnrolmentToken(text);
    if (text === undefined || !token) throw badToken('Send the enrolment token as Authorization: Bearer plbe_...');
    const hash = hashOf(text);
    const row = await this.database.client.enrolmentToken.findUnique({ where: { hash } });
    if (!row || row.probeName !== token.probe) throw badToken('This enrolment token is not known here.');
    if (row.usedAt) throw badToken('This enrolment token has been used already; ask for another.');
    if (row.expiresAt.getTime() <= Date.now()) throw badToken('This enrolment token has expired; ask for another.');
    return { hash, probe: token.probe };
  }

  /**
   * A request that cannot be used leaves the token unused.
   * @throws {ProblemError} enrolment-token-invalid; invalid-request when the request is not one, or of another name
   */
  async enrol(authorization: string | undefined, csr: string): Promise<IssuedCertificate> {
    const { hash, probe } = await this.openToken(authorization);
    const issued = await this.issue(csr, probe);
    await this.database.client.$transaction(async (transaction) => {
      // The condition makes it good once, whoever else comes with it at this moment.
      const { count } = await transaction.enrolmentToken.updateMany({
        where: { hash, usedAt: null },
        data: { usedAt: new Date() },
      });
      if (count === 0) throw badToken('This enrolment token has been used already; ask for another.');
      await this.record(probe, issued, transaction);
    });
    return issued;
  }

  /** @throws {ProblemError} unauthorized when nothing vouches for the request; invalid-request when it is not one */
  async renew({ csr, certificate, signature }: RenewalRequest): Promise<IssuedCertificate> {
    const name = probeNameIn(certificate);
    const why =
      name === undefined
        ? 'it names no probe'
        : probeCertificateProblem(certificate, this.authority.ca.certificate, name, new Date());
    if (name === undefined || why !== undefined)
      throw unauthorized(`The certificate cannot be renewed: ${why}. Enrol the probe again.`);
    if (!isCsrSignedBy(csr, certificate, signature))
      throw unauthorized("The signature is not by the certificate's key over this request.");
    const fingerprint = certificateSha256(certificate);
    const row = await this.database.client.probeCertificate.findUnique({ where: { fingerprint } });
    if (!row || row.revokedAt)
      throw unauthorized('The certificate was revoked: its probe was deleted. Enrol it again.');
    const issued = await this.issue(csr, name);
    await this.database.client.$transaction((transaction) => this.record(name, issued, transaction));
    return issued;
  }

  private async issue(csr: string, name: string): Promise<IssuedCertificate> {
    const wrong = (detail: string) => invalid([{ detail, pointer: '/csr' }]);
    const asked = await csrCommonName(csr).catch(() => {
      throw wrong('this is not a certificate request (PKCS #10, PEM)');
    });
    if (asked !== name) throw wrong(`the request is of another name than ${name}`);
    try {
      const { certificate, notAfter } = await issueProbeCertificate(this.authority.ca, csr, name);
      return { certificate, ca: this.authority.ca.certificate, notAfter: notAfter.toISOString() };
    } catch (error) {
      if (error instanceof RangeError) throw wrong(error.message);
      throw error;
    }
  }

  private async record(
    probeName: string,
    { certificate, notAfter }: IssuedCertificate,
    client: Transaction,
  ): Promise<void> {
    const fingerprint = certificateSha256(certificate);
    await client.probeCertificate.create({ data: { fingerprint, probeName, notAfter } });
    await client.probe.updateMany({
      where: { name: probeName },
      data: { enrolled: true, certificateHash: fingerprint, certificateNotAfter: notAfter },
    });
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const badToken = (detail: string): ProblemError =>
  new ProblemError('enrolment-token-invalid', detail, undefined, {
    'www-authenticate': 'Bearer realm="plumbline enrolment"',
  });

function probeNameIn(certificate: string): string | undefined {
  try {
    return readCertificate(certificate)
      .names.map((name) => PROBE_URI.exec(name)?.[1])
      .find((name) => name !== undefined);
  } catch {
    return undefined;
  }
}
