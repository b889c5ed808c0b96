import { Injectable } from '@nestjs/common';

/** This process is about to stop: what runs goes on, nothing new begins, no leg is taken or dispatched. Never taken back. */
@Injectable()
export class Drain {
  private told = false;

  get begun(): boolean {
    return this.told;
  }

  begin(): void {
    this.told = true;
  }
}
