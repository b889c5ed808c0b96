/** One event of a stream (WHATWG HTML, 9.2). */
export interface StreamEvent {
  readonly id: number;
  readonly event: string;
  readonly data: unknown;
}

/** JSON has no line breaks of its own, so one data line holds it. */
export const sseEvent = ({ id, event, data }: StreamEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** A comment: keeps proxies and clients from taking the stream for dead. */
export const SSE_HEARTBEAT = ': alive\n\n';

/** How long a client waits before it connects again, ms. */
export const sseRetry = (ms: number): string => `retry: ${ms}\n\n`;
