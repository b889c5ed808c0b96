import { z } from 'zod';

/** A certificate or request is some hundred bytes; this is room for any. */
const Pem = z.string().min(1).max(16_384);

export const Enrolment = z
  .object({
    token: z
      .string()
      .meta({ description: 'Good once, until expiresAt: plbe_RANDOM.CA_SHA256.PROBE. Shown only here.' }),
    expiresAt: z.iso.datetime(),
    caSha256: z.string().meta({ description: "SHA-256 of the CA certificate's DER, hex; the probe pins it" }),
  })
  .meta({ id: 'Enrolment' });
export type Enrolment = z.output<typeof Enrolment>;

export const EnrolmentRequest = z
  .strictObject({ csr: Pem.meta({ description: "PKCS #10, PEM; its common name is the probe's name" }) })
  .meta({ id: 'EnrolmentRequest' });
export type EnrolmentRequest = z.output<typeof EnrolmentRequest>;

export const RenewalRequest = z
  .strictObject({
    csr: Pem,
    certificate: Pem.meta({ description: 'The certificate that is to be renewed, PEM' }),
    signature: z
      .base64()
      .max(1_024)
      .meta({ description: "By that certificate's key over the DER of the request, base64" }),
  })
  .meta({ id: 'RenewalRequest' });
export type RenewalRequest = z.output<typeof RenewalRequest>;

export const IssuedCertificate = z
  .object({ certificate: z.string(), ca: z.string(), notAfter: z.iso.datetime() })
  .meta({ id: 'IssuedCertificate' });
export type IssuedCertificate = z.output<typeof IssuedCertificate>;
