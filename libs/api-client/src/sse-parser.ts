/** One message of an event stream, as it was sent. */
export interface SseMessage {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/**
 * Reads an event stream piece by piece (WHATWG HTML, 9.2.6). Pieces may be cut anywhere; a message counts when its empty line
 * has come.
 */
export class SseParser {
  private rest = '';
  private id = '';
  private event = '';
  private data: string[] = [];

  /** @returns the messages that this piece completes */
  push(piece: string): SseMessage[] {
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.line(line) ?? []);
  }

  private line(line: string): SseMessage | undefined {
    if (line === '') return this.dispatch();
    if (line.startsWith(':')) return undefined;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.event = value;
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    return undefined;
  }

  private dispatch(): SseMessage | undefined {
    const message = { id: this.id, event: this.event || 'message', data: this.data.join('\n') };
    const empty = this.data.length === 0;
    this.event = '';
    this.data = [];
    return empty ? undefined : message;
  }
}
