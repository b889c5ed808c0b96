import { status as grpcStatus, ServerCredentials, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { Identity } from './certificate.js';
import { isControlPlane } from './certificate.js';

/** TLS for a probe's server, whose certificate can be changed while calls run: only new connections see the new one. */
export class ProbeServerCredentials extends ServerCredentials {
  constructor(identity: Identity) {
    super({ requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.2' }, contextOf(identity));
  }

  renew(identity: Identity): void {
    this.updateSecureContextOptions(contextOf(identity));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

const contextOf = ({ ca, certificate, key }: Identity) => ({ ca: [ca], cert: [certificate], key: [key] });

/**
 * Refuses every call whose peer is not the control plane. TLS has already refused peers without a certificate of our CA and
 * those whose certificate is not for clients; this looks at the name.
 */
export const onlyControlPlane: ServerInterceptor = (_method, call) =>
  new ServerInterceptingCall(call, {
    start: (next) => {
      if (isControlPlane(call.getAuthContext().sslPeerCertificate)) return next();
      call.sendStatus({
        code: grpcStatus.PERMISSION_DENIED,
        details: 'Only the control plane may call a probe; this certificate is not its own.',
      });
    },
  });
