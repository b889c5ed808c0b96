import { afterAll, beforeAll } from 'vitest';
import { backWith, FakeProbes } from '../fake-probes.js';
import { type Stack, startStack } from '../stack.js';

/** One stack that the suites share: starting it takes longer than any of them. */
class House {
  readonly probes = new FakeProbes();
  private started: Stack | undefined;

  get stack(): Stack {
    if (!this.started) throw new Error('the house is opened before all tests');
    return this.started;
  }

  async open(): Promise<void> {
    this.started = await startStack({ back: backWith(this.probes) });
  }

  async close(): Promise<void> {
    await this.started?.stop();
  }
}

export const house = new House();
// Imported before any suite has hooks of its own, so that these are the first and the last.
beforeAll(() => house.open());
afterAll(() => house.close());
