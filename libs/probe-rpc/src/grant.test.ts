import { beforeAll, expect, test } from 'vitest';
import { checkGrant, type GrantPayload, type GrantUse, signGrant } from './grant.js';
import { type CertificateAuthority, issueProbeCertificate, makeCa, makeCsr, makeKey } from './pki.js';

const now = new Date('2026-05-01T12:00:00Z');
const key = makeKey();
const payload: GrantPayload = {
  attemptId: 'a1',
  legId: 'l1',
  probe: 'far',
  endpoint: 'wan',
  address: '192.0.2.1',
  port: 5301,
  specKind: 'throughput/iperf3',
  maxRateBps: 1e9,
  maxStreams: 1,
  maxDurationS: 30,
  notAfter: '2026-05-01T12:01:00Z',
};
const use: GrantUse = {
  attemptId: 'a1',
  specKind: 'throughput/iperf3',
  standing: false,
  ceilings: { maxRateBps: 1e9, maxStreams: 1, maxDurationS: 30 },
  port: 5301,
  now,
};
const reasonOf = (result: ReturnType<typeof checkGrant>) => ('problem' in result ? result.problem.reason : 'holds');

let ca: CertificateAuthority;
let certificate: string;
beforeAll(async () => {
  ca = await makeCa('CA', now);
  ({ certificate } = await issueProbeCertificate(ca, await makeCsr('far', key), 'far', now));
});

test('what was signed is what is read', () => {
  expect(checkGrant(signGrant(payload, key), use)).toEqual({ payload });
});

test.each<[string, Partial<GrantPayload>, Partial<GrantUse>, string]>([
  ['at its ceilings', {}, {}, 'holds'],
  ['below its ceilings', {}, { ceilings: { maxRateBps: 1, maxStreams: 1, maxDurationS: 1 } }, 'holds'],
  [
    'no limit of rate',
    { maxRateBps: null },
    { ceilings: { maxRateBps: null, maxStreams: 1, maxDurationS: 30 } },
    'holds',
  ],
  [
    'no rate where one is allowed',
    {},
    { ceilings: { maxRateBps: null, maxStreams: 1, maxDurationS: 30 } },
    'grant-exceeded',
  ],
  ['a bit too fast', {}, { ceilings: { maxRateBps: 1e9 + 1, maxStreams: 1, maxDurationS: 30 } }, 'grant-exceeded'],
  ['a stream too many', {}, { ceilings: { maxRateBps: 1e9, maxStreams: 2, maxDurationS: 30 } }, 'grant-exceeded'],
  ['a second too long', {}, { ceilings: { maxRateBps: 1e9, maxStreams: 1, maxDurationS: 31 } }, 'grant-exceeded'],
  ['in its last moment', {}, { now: new Date(payload.notAfter) }, 'holds'],
  ['after it', {}, { now: new Date(Date.parse(payload.notAfter) + 1) }, 'grant-invalid'],
  ['another attempt', {}, { attemptId: 'a2' }, 'grant-invalid'],
  ['another kind', {}, { specKind: 'rtt/ping' }, 'grant-invalid'],
  ['another port', {}, { port: 5302 }, 'grant-invalid'],
  ['no port named by the peer', {}, { port: undefined }, 'holds'],
  ['standing, where that is enough', { attemptId: null, legId: null }, { standing: true }, 'holds'],
  ['standing, where it is not', { attemptId: null, legId: null }, {}, 'grant-invalid'],
])('%s: %s', (_, part, asks, reason) => {
  expect(reasonOf(checkGrant(signGrant({ ...payload, ...part }, key), { ...use, ...asks }))).toBe(reason);
});

test('no grant, an empty one and an unreadable one', () => {
  expect(reasonOf(checkGrant(undefined, use))).toBe('grant-missing');
  const good = signGrant(payload, key);
  expect(reasonOf(checkGrant({ ...good, payloadJson: '' }, use))).toBe('grant-missing');
  for (const payloadJson of ['{', '[]', '{"attemptId":"a1"}', JSON.stringify({ ...payload, address: 'example.org' })])
    expect(reasonOf(checkGrant({ ...good, payloadJson }, use))).toBe('grant-invalid');
});

test('every changed byte of the text or the signature breaks it', () => {
  const good = signGrant(payload, key);
  const shifted = { ...good, payloadJson: `${good.payloadJson} ` };
  const bent = { ...good, signature: Buffer.from(good.signature).fill(0, 8, 9) };
  for (const grant of [shifted, bent, { ...good, signature: Buffer.alloc(0) }])
    expect(reasonOf(checkGrant(grant, use))).toBe('grant-invalid');
});

test('an enrolled probe wants the certificate of the probe that it names, for the key that signed', async () => {
  const asks = { ...use, ca: ca.certificate };
  expect(reasonOf(checkGrant(signGrant(payload, key, certificate), asks))).toBe('holds');
  expect(reasonOf(checkGrant(signGrant(payload, key), asks))).toBe('grant-invalid');
  expect(reasonOf(checkGrant(signGrant(payload, makeKey(), certificate), asks))).toBe('grant-invalid');
  expect(reasonOf(checkGrant(signGrant({ ...payload, probe: 'other' }, key, certificate), asks))).toBe('grant-invalid');
  const stranger = await makeCa('Another', now);
  const foreign = await issueProbeCertificate(stranger, await makeCsr('far', key), 'far', now);
  expect(reasonOf(checkGrant(signGrant(payload, key, foreign.certificate), asks))).toBe('grant-invalid');
  const late = { ...payload, notAfter: '2026-12-01T00:00:00Z' };
  const expired = { ...asks, now: new Date('2026-06-15T00:00:00Z') };
  expect(reasonOf(checkGrant(signGrant(late, key, certificate), expired))).toBe('grant-invalid');
});
