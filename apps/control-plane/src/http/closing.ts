import { Injectable } from '@nestjs/common';

/** Tells open streams that the process is about to stop, so that they end by themselves. */
@Injectable()
export class Closing {
  private readonly controller = new AbortController();
  readonly signal: AbortSignal = this.controller.signal;

  begin(): void {
    this.controller.abort();
  }
}
