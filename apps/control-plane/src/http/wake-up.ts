/** Lets one waiter sleep until something rings, at most so long. A ring while nobody waits is not lost. */
export class WakeUp {
  private rung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Resolves at a ring (also an earlier one that nobody waited for), or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.rung)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.rung = false;
    this.wake = undefined;
  }
}
