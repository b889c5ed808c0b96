import type { BeforeAfterInput } from '@plumbline/analysis';
import type { Path, TestInput } from '@plumbline/api-client';

/** One of the two hosts that the demonstration measures between. */
export interface DemoHost {
  readonly probe: 'demo-client' | 'demo-server';
  /** The test address, as `plumb probe --endpoint` takes it and as the API names it. */
  readonly endpoint: { readonly name: string; readonly address: string; readonly interface?: string | undefined };
  /** The command line that runs a program on that host. */
  argv(command: readonly string[]): [string, ...string[]];
}

/** Where the demonstration happens: an emulated path, or loopback where namespaces cannot be made. */
export interface Ground {
  readonly kind: 'lab' | 'loopback';
  /** One sentence for the terminal. */
  readonly description: string;
  readonly client: DemoHost;
  readonly server: DemoHost;
  /** Facts of the path besides its ends. */
  readonly path: Partial<Pick<Path, 'committedRateBps' | 'rateLayer' | 'expectedRttMs'>>;
  readonly plan: string;
  readonly tests: readonly TestInput[];
  /** The plan for the run after the change; the same one wherever that is possible. */
  readonly after: { readonly plan: string; readonly tests: readonly TestInput[] };
  /** Makes the change between the runs. @returns what was changed, in words */
  change(): Promise<string>;
  readonly report: Pick<BeforeAfterInput, 'title' | 'lab' | 'loopback' | 'notes'>;
  end(): Promise<void>;
}

/** Seconds of slow start that the throughput leaves out. */
export const OMIT_S = 1;
export const CONGESTION_CONTROL = 'cubic';

export const rttTest: TestInput = { kind: 'rtt', count: 12, intervalS: 0.1, omitS: 1 };

export const streamTest = (durationS: number, windowBytes?: number): TestInput => ({
  kind: 'single-stream',
  durationS,
  omitS: OMIT_S,
  congestionControl: CONGESTION_CONTROL,
  ...(windowBytes === undefined ? {} : { windowBytes }),
});
