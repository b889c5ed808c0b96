// Sends numbered UDP datagrams at an even pace: node udp-sender.mjs ADDRESS PORT COUNT PAYLOAD_BYTES PACKETS_PER_SECOND
// The first four payload bytes are the number. A pace of 0 sends them as fast as the socket takes them.
import { createSocket } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';

const [address = '', port = '', count = '', payloadBytes = '', pace = ''] = process.argv.slice(2);
const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
// Not connected: a "port unreachable" from the far end would otherwise take the place of the next datagram.

const send = (sequence) =>
  new Promise((resolve) => {
    const payload = Buffer.alloc(Number(payloadBytes));
    payload.writeUInt32BE(sequence);
    socket.send(payload, Number(port), address, () => resolve());
  });

const pending = [];
const start = performance.now();
// Ends after COUNT datagrams; when it fell behind it catches up without waiting.
for (let sequence = 0; sequence < Number(count); sequence++) {
  const due = Number(pace) > 0 ? start + (sequence * 1000) / Number(pace) : 0;
  if (due > performance.now()) await delay(Math.max(1, due - performance.now()));
  pending.push(send(sequence));
  // The socket's buffer is finite: now and then everything must have left.
  if (pending.length >= 64) await Promise.all(pending.splice(0));
}
await Promise.all(pending);
socket.close();
