import { formatBytes, formatMs, formatRate } from '@plumbline/analysis';
import type { RunProgressEvent, SampleEvent } from './run-event.js';

/** What is shown of a run while it goes on. */
export interface Shown {
  readonly heading: string;
  readonly news: string;
}

/** Turns a run's events into a line: which step runs, and what its sending socket showed last. */
export class RunProgress {
  #heading = 'queued';

  /**
   * @param kinds kind of each test of the plan, in order
   * @param paths name of each leg's path, in order
   */
  constructor(
    private readonly kinds: readonly string[],
    private readonly paths: readonly string[],
  ) {}

  /** What to show after this event; undefined: what is shown still holds. */
  take(event: RunProgressEvent): Shown | undefined {
    switch (event.type) {
      case 'step':
        return event.state === 'running' ? this.#say(this.#step(event)) : undefined;
      case 'attempt':
        return event.outcome === null
          ? this.#say(event.repeat > 1 ? `${this.#step(event)}, repeat ${event.repeat}` : this.#step(event))
          : undefined;
      case 'sample':
        // The far end's numbers are the same flow seen once more.
        return event.end === 'near' ? { heading: this.#heading, news: sampleText(event) } : undefined;
      case 'run':
      case 'leg':
        return undefined;
    }
  }

  #say(heading: string): Shown {
    this.#heading = heading;
    return { heading, news: '' };
  }

  #step({ leg, step }: { leg: number; step: number }): string {
    const path = this.paths.length > 1 ? `${this.paths[leg] ?? `leg ${leg}`}: ` : '';
    return `${path}${this.kinds[step] ?? `step ${step}`} (${step + 1} of ${this.kinds.length})`;
  }
}

/** `4.2 s  76.8 Mbit/s  rtt 18.3 ms  window 174 kB  retransmits 0`; what is not known is left out. */
export function sampleText(s: SampleEvent): string {
  return [
    `${(s.elapsedMs / 1000).toFixed(1)} s`,
    s.rateBps === null ? undefined : formatRate(s.rateBps),
    s.rttMs === null ? undefined : `rtt ${formatMs(s.rttMs)}`,
    s.sndWndBytes === null ? undefined : `window ${formatBytes(s.sndWndBytes)}`,
    s.retransmits === null ? undefined : `retransmits ${s.retransmits}`,
  ]
    .filter((part) => part !== undefined)
    .join('  ');
}
