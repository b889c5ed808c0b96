import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { hasClient, isListening, Ports, parseSocketTable, readSocketTable } from './ports.js';

const TCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:14B4 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 41151 1 0000000000000000 100 0 0 10 0
   1: 0100007F:14B5 0200007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 41152 1 0000000000000000 20 4 30 10 -1
`;

test('reads the kernel table', () => {
  expect(parseSocketTable(TCP, 'tcp')).toEqual([
    { protocol: 'tcp', localPort: 5300, listens: true },
    { protocol: 'tcp', localPort: 5301, listens: false },
  ]);
  expect(parseSocketTable('', 'tcp')).toEqual([]);
});

test('sees real listeners, and clients without being one (A25, A30)', async () => {
  const server = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  expect(isListening(process.pid, 'tcp', port)).toBe(true);
  expect(isListening(1, 'tcp', 1)).toBe(false);
  expect(hasClient(port)).toBe(false);
  const client = connect(port, '127.0.0.1');
  await new Promise<void>((resolve) => client.once('connect', () => resolve()));
  expect(hasClient(port)).toBe(true);
  client.destroy();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  expect(isListening(process.pid, 'tcp', port)).toBe(false);
});

test('sees UDP sockets', async () => {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  expect(readSocketTable(['udp'])).toContainEqual({ protocol: 'udp', localPort: port, listens: true });
  await new Promise<void>((resolve) => socket.close(() => resolve()));
});

test('gives each port once, none that is in use, and rests those that were', () => {
  let now = 0;
  const used = [{ protocol: 'tcp' as const, localPort: 6000, listens: true }];
  const ports = new Ports(
    { low: 6000, high: 6003 },
    () => used,
    () => now,
  );
  const first = [ports.take(), ports.take(), ports.take()];
  expect([...first].sort()).toEqual([6001, 6002, 6003]);
  expect(ports.take()).toBeUndefined();
  ports.giveBack(6002);
  now = 1000;
  ports.giveBack(6003);
  now = 120_500;
  expect(ports.take()).toBe(6002);
  // Better one that has not rested than none.
  expect(ports.take()).toBe(6003);
});

test('ports are not predictable', () => {
  const draws = Array.from({ length: 20 }, () => new Ports({ low: 1024, high: 60_000 }, () => []).take());
  expect(new Set(draws).size).toBeGreaterThan(10);
});

test('gives ports in a row, and takes all of them back', () => {
  const used = [{ protocol: 'tcp' as const, localPort: 6003, listens: false }];
  const ports = new Ports(
    { low: 6000, high: 6008 },
    () => used,
    () => 0,
  );
  expect(ports.take(6)).toBeUndefined();
  expect(ports.take(5)).toBe(6004);
  expect(ports.take(3)).toBe(6000);
  expect(ports.take()).toBeUndefined();
  ports.giveBack(6004, 5);
  // Not rested, but the only run there is.
  expect(ports.take(5)).toBe(6004);
});
