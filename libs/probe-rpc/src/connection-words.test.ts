import { type AddressInfo, createServer as plainServer, type Server, type Socket } from 'node:net';
import { createServer as tlsServer } from 'node:tls';
import { expect, test } from 'vitest';
import { connectionWords } from './connection-words.js';
import { connectProbe, makeCa } from './index.js';

const wrapped = (text: string): string => `No connection established. Last error: Error: ${text}. Resolution note: `;
const openssl = (reason: string): string =>
  wrapped(
    `406D828A357F0000:error:0A000460:SSL routines:ssl3_read_bytes:${reason}:../deps/rec_layer_s3.c:918:SSL alert number 120\n`,
  );

test.each([
  [openssl('tlsv1 alert no application protocol'), 'it is no probe'],
  [openssl('wrong version number'), 'does not speak TLS'],
  [openssl('tlsv13 alert certificate required'), "this control plane's certificate"],
  [openssl('something new'), 'TLS failed: something new.'],
  [wrapped('unable to verify the first certificate'), 'another authority'],
  [wrapped('certificate has expired'), 'has expired'],
  [wrapped('connect ECONNREFUSED 127.0.0.1:1'), 'Nothing listens there'],
  [wrapped('connect ENOENT /run/x.sock'), 'no such socket'],
  [wrapped('The certificate is of probe b, not of probe a'), 'The certificate is of probe b, not of probe a.'],
  ['Name resolution failed for target dns:nosuch.invalid:1', 'no address'],
  ['The deadline has passed', 'The deadline has passed.'],
])('%j', (details, words) => {
  const said = connectionWords(details);
  expect(said).toContain(words);
  expect(said).not.toMatch(/Resolution note|error:[0-9A-F]{8}|\.c:\d|\n/);
});

test('a port that is no probe is told so in words, whatever it speaks', async () => {
  const { certificate, key } = await makeCa();
  const tls = tlsServer({ cert: certificate, key, ALPNProtocols: ['http/1.1'] }, (s) => s.on('error', () => {}));
  tls.on('tlsClientError', () => {});
  const http = plainServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const said = async (server: Server): Promise<string> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const open: Socket[] = [];
    server.on('connection', (socket) => open.push(socket));
    const probe = connectProbe({
      address: `127.0.0.1:${port}`,
      name: 'x',
      identity: { ca: certificate, key, certificate },
    });
    const message = await probe.inventory({}).then(String, (error: Error) => error.message);
    probe.close();
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    return message;
  };
  expect(await said(tls)).toMatch(/^What answers there speaks TLS but not gRPC/);
  expect(await said(http)).toMatch(/^What answers there does not speak TLS/);
});
