export type { CallContext } from 'nice-grpc';
export {
  CLIENT_AUTH,
  CONTROL_PLANE_URI,
  certificateSha256,
  type Identity,
  probeCertificateProblem,
  probeDnsName,
  probeUri,
  publicKeyOf,
  readCertificate,
  SERVER_AUTH,
} from './certificate.js';
export { type CallSettings, type ConnectOptions, connectProbe, type ProbeConnection } from './client.js';
export { type EnrolmentToken, makeEnrolmentToken, parseEnrolmentToken } from './enrolment-token.js';
export { type CallProblem, ourMistake, ProbeCallError, type Refusal, refusalStatus, unknownAttempt } from './errors.js';
export * from './generated/plumbline/probe/v1/probe.js';
export { checkGrant, GrantPayload, type GrantUse, signGrant } from './grant.js';
export { ALIVE_EVERY_MS, CHUNK_MAX_BYTES, MESSAGE_MAX_BYTES, SILENCE_MS, SPEC_MAX_BYTES } from './limits.js';
export {
  CERTIFICATE_DAYS,
  type CertificateAuthority,
  type IssuedCertificate,
  isCsrSignedBy,
  issueControlPlaneCertificate,
  issueProbeCertificate,
  makeCa,
  makeCsr,
  makeKey,
  signCsr,
} from './pki.js';
export { type ServedProbe, type ServeOptions, serveProbe } from './server.js';
export { specKind } from './spec-kind.js';
