import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CertificateAuthority,
  certificateSha256,
  connectProbe,
  type Identity,
  isCsrSignedBy,
  issueControlPlaneCertificate,
  issueProbeCertificate,
  makeCa,
  makeEnrolmentToken,
  readCertificate,
} from '@plumbline/probe-rpc';
import { freePort } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { enrol, type RunningProbe, startProbe } from '../src/index.js';

const DAY_MS = 86_400_000;
const root = mkdtempSync(join(tmpdir(), 'plumb-enrol-'));
let ca: CertificateAuthority;
let other: CertificateAuthority;
let server: Server;
let url: string;
/** What the control plane does with requests; each test sets what it needs. */
let answers: (path: string, body: string, request: IncomingMessage) => Promise<{ status?: number; json: unknown }>;
const seen: { path: string; authorization: string | undefined }[] = [];

const Csr = z.object({ csr: z.string() });
const issue = async (authority: CertificateAuthority, name: string, body: string) => {
  const issued = await issueProbeCertificate(authority, Csr.parse(JSON.parse(body)).csr, name);
  return {
    json: { certificate: issued.certificate, ca: authority.certificate, notAfter: issued.notAfter.toISOString() },
  };
};

beforeAll(async () => {
  ca = await makeCa();
  other = await makeCa('Somebody else');
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ path: request.url ?? '', authorization: request.headers.authorization });
      void answers(request.url ?? '', Buffer.concat(chunks).toString(), request).then(({ status = 200, json }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
      });
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

const token = (name: string): string => makeEnrolmentToken(certificateSha256(ca.certificate), name);

describe('enrolment', () => {
  test('makes the key here, pins the authority, and stores both privately', async () => {
    const dataDir = join(root, 'good');
    answers = (_path, body) => issue(ca, 'lon-1', body);
    const text = token('lon-1');
    const { name, notAfter } = await enrol({ server: url, token: `${text}\n`, dataDir });
    expect(name).toBe('lon-1');
    expect((notAfter.getTime() - Date.now()) / DAY_MS).toBeCloseTo(30, 1);
    expect(seen.at(-1)).toEqual({ path: '/v1/enrolments', authorization: `Bearer ${text}` });
    const file = join(dataDir, 'identity', 'identity.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('PRIVATE KEY');
    expect(readFileSync(file, 'utf8')).not.toContain(text);
  });

  test.each([
    ['another authority', () => other, 'lon-1', 'is not the one that the token pins'],
    ['a certificate for another probe', () => ca, 'lon-2', 'does not name the probe lon-1'],
  ])('%s is refused, and nothing is stored', async (_, authority, name, sentence) => {
    const dataDir = join(root, `bad-${name}-${sentence.length}`);
    answers = (_path, body) => issue(authority(), name, body);
    await expect(enrol({ server: url, token: token('lon-1'), dataDir })).rejects.toThrow(sentence);
    expect(readFileSync(join(dataDir, 'identity', 'identity.json'), 'utf8')).not.toContain('CERTIFICATE');
  });

  test("the control plane's own words are told when it refuses; the token never is", async () => {
    answers = async () => ({ status: 401, json: { title: 'Unauthorized', detail: 'The token was used before.' } });
    const text = token('lon-1');
    const failed = enrol({ server: url, token: text, dataDir: join(root, 'used') });
    await expect(failed).rejects.toThrow('The token was used before.');
    await expect(failed).rejects.not.toThrow(text);
  });

  test('no token, and nobody there, are sentences', async () => {
    await expect(enrol({ server: url, token: 'plbe_x', dataDir: root })).rejects.toThrow('not an enrolment token');
    const nobody = `http://127.0.0.1:${await freePort()}`;
    await expect(enrol({ server: nobody, token: token('a'), dataDir: join(root, 'n') })).rejects.toThrow(
      'could not be reached',
    );
  });
});

describe('mutual TLS', () => {
  let probe: RunningProbe;
  let address: string;
  let controlPlane: Identity;
  const dataDir = join(root, 'tls');
  const options = () => ({ name: 'lon-1', site: 'lon', endpoints: ['wan=127.0.0.1'], dataDir, logLevel: 'silent' });

  beforeAll(async () => {
    answers = (_path, body) => issue(ca, 'lon-1', body);
    await enrol({ server: url, token: token('lon-1'), dataDir });
    address = `127.0.0.1:${await freePort()}`;
    probe = await startProbe({ ...options(), listen: address });
    controlPlane = { ca: ca.certificate, ...(await issueControlPlaneCertificate(ca)) };
  });
  afterAll(() => probe?.stop());

  const ask = async (identity: Identity, name = 'lon-1') => {
    const connection = connectProbe({ address, name, identity });
    try {
      return await connection.inventory({ controlPlaneVersion: '0.1.0' });
    } finally {
      connection.close();
    }
  };
  const ownIdentity = (): Identity => {
    const { key, enrolled } = JSON.parse(readFileSync(join(dataDir, 'identity', 'identity.json'), 'utf8'));
    return { key, ...enrolled };
  };

  test('the control plane is served', async () => {
    const { certificate, publicKey } = await ask(controlPlane);
    expect(readCertificate(certificate).names).toEqual(['URI:plumbline://probe/lon-1', 'DNS:lon-1.probe.plumbline']);
    expect(readCertificate(certificate).publicKey.equals(publicKey)).toBe(true);
  });

  test("a probe's own certificate, used as a client, is refused", async () => {
    await expect(ask(ownIdentity())).rejects.toMatchObject({ name: 'ProbeCallError' });
  });

  test('so is a control plane of another authority', async () => {
    const stranger = { ca: ca.certificate, ...(await issueControlPlaneCertificate(other)) };
    await expect(ask(stranger)).rejects.toMatchObject({ name: 'ProbeCallError' });
  });

  test('a client refuses a server that is another probe', async () => {
    await expect(ask(controlPlane, 'lon-2')).rejects.toMatchObject({ reason: 'probe-identity-mismatch' });
  });

  test('an enrolled probe takes grants of enrolled probes only', async () => {
    const connection = connectProbe({ address, name: 'lon-1', identity: controlPlane });
    const { makeKey, signGrant } = await import('@plumbline/probe-rpc');
    const scope = { attemptId: 'a', legId: null, probe: 'far', endpoint: 'wan', address: '127.0.0.1', port: null };
    const limits = {
      specKind: 'rtt/ping',
      maxRateBps: null,
      maxStreams: 1,
      maxDurationS: 99,
      notAfter: '2999-01-01T00:00:00Z',
    };
    const claim = { attemptId: 'a', legId: 'l', fence: 1n, shared: true };
    const spec = { kind: 'rtt/ping', schemaVersion: 1, specJson: '{"count":1,"intervalS":0.2}' };
    const run = async (grant: ReturnType<typeof signGrant>) => {
      for await (const { event } of connection.execute({ claim, spec, endpoint: 'wan', grant }))
        if (event?.$case === 'finished') return event.value;
      return undefined;
    };
    const unenrolled = signGrant({ ...scope, ...limits }, makeKey());
    expect(await run(unenrolled)).toMatchObject({ outcome: 'refused', reason: 'grant-invalid' });
    const own = ownIdentity();
    const mine = { ...scope, probe: 'lon-1' };
    expect(await run(signGrant({ ...mine, ...limits }, makeKey(), own.certificate))).toMatchObject({
      reason: 'grant-invalid',
    });
    expect(await run(signGrant({ ...mine, ...limits }, own.key, own.certificate))).toMatchObject({
      outcome: 'completed',
    });
    connection.close();
  });

  test('a certificate with a third of its life left is renewed under running calls; the next one needs its key', async () => {
    await probe.stop();
    const before = ownIdentity();
    let renewal: { csr: string; certificate: string; signature: string } | undefined;
    answers = async (path, body) => {
      renewal = z.object({ csr: z.string(), certificate: z.string(), signature: z.string() }).parse(JSON.parse(body));
      expect(path).toBe('/v1/enrolments/renewal');
      return issue(ca, 'lon-1', body);
    };
    const later = () => new Date(Date.now() + 21 * DAY_MS);
    probe = await startProbe({ ...options(), listen: address, now: later });
    const deadline = performance.now() + 5000;
    while (ownIdentity().certificate === before.certificate && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ownIdentity().certificate).not.toBe(before.certificate);
    expect(ownIdentity().key).not.toBe(before.key);
    const { csr = '', signature = '' } = renewal ?? {};
    expect(renewal?.certificate).toBe(before.certificate);
    expect(isCsrSignedBy(csr, before.certificate, signature)).toBe(true);
    expect(isCsrSignedBy(csr, ownIdentity().certificate, signature)).toBe(false);
    const { certificate } = await ask(controlPlane);
    expect(certificate).toBe(ownIdentity().certificate);
  });

  test('the identity of another probe is refused at the start', async () => {
    const folder = join(root, 'moved');
    answers = (_path, body) => issue(ca, 'lon-1', body);
    await enrol({ server: url, token: token('lon-1'), dataDir: folder });
    const started = startProbe({ ...options(), name: 'lon-3', listen: `unix:${join(root, 's')}`, dataDir: folder });
    await expect(started).rejects.toThrow('is not one for the probe lon-3');
  });
});
