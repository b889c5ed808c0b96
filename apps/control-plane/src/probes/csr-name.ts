/**
 * The common name that a certificate request asks for; undefined when it asks for none.
 * @throws when the text is no request (PKCS #10, RFC 2986)
 */
export async function csrCommonName(pem: string): Promise<string | undefined> {
  // Loaded when first needed: the library is large, and its injector wants the polyfill before it.
  await import('reflect-metadata');
  const { Pkcs10CertificateRequest } = await import('@peculiar/x509');
  return new Pkcs10CertificateRequest(pem).subjectName.getField('CN')[0];
}
