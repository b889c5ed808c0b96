import { VERSION } from '@plumbline/model';
import type { InventoryResponse } from '@plumbline/probe-rpc';
import { describe, expect, it } from 'vitest';
import { clockOffset, readInventory } from './probe-facts.js';

const response = (more: Partial<InventoryResponse> = {}): InventoryResponse => ({
  name: 'a',
  site: 's',
  version: VERSION,
  endpoints: [
    { name: 'e', address: '192.0.2.1', interface: 'eth0' },
    { name: 'f', address: '192.0.2.2', interface: '' },
    { name: '-x', address: 'not-an-address', interface: '' },
  ],
  tools: [
    { tool: 'iperf3', text: 'iperf 3.12 (cJSON 1.7.15)\nLinux', present: true },
    { tool: 'nuttcp', text: '', present: false },
  ],
  specKinds: ['rtt/ping'],
  now: new Date(1_000),
  publicKey: Buffer.from('key'),
  certificate: '',
  congestionControls: ['reno', 'cubic'],
  root: true,
  defaultCongestionControl: 'cubic',
  bootId: 'boot',
  ...more,
});

describe('an Inventory', () => {
  it('becomes a report and the host that abilities judge', () => {
    const facts = readInventory('a', response(), 900, 1_000);
    expect(facts).toMatchObject({
      report: {
        name: 'a',
        tools: { iperf3: '3.12', nuttcp: null },
        endpoints: [
          { name: 'e', address: '192.0.2.1', interface: 'eth0' },
          { name: 'f', address: '192.0.2.2' },
        ],
        enrolled: false,
        clockOffsetMs: 50,
      },
      host: {
        tools: { iperf3: expect.stringContaining('iperf 3.12') },
        congestionControls: ['reno', 'cubic'],
        root: true,
      },
      clock: { offsetMs: 50, errorMs: 50 },
    });
    expect('report' in facts && facts.report.endpoints).toHaveLength(2);
    expect('host' in facts && 'nuttcp' in facts.host.tools).toBe(false);
  });

  it('of another probe, or of a version too far away, is refused with what to do', () => {
    expect(readInventory('b', response(), 0, 0)).toMatchObject({ refusal: { reason: 'probe-identity-mismatch' } });
    const old = readInventory('a', response({ version: '9.0.0' }), 0, 0);
    expect(old).toMatchObject({ refusal: { reason: 'probe-version-incompatible' } });
    expect('refusal' in old && old.refusal).toMatchObject({ detail: expect.stringContaining(VERSION) });
  });
});

describe('clock offsets', () => {
  it('are theirs minus the middle of the call, with half the call as error', () => {
    expect(clockOffset(new Date(5_000), 1_000, 1_200)).toEqual({ offsetMs: 3_900, errorMs: 100 });
    expect(clockOffset(new Date(900), 1_000, 1_000)).toEqual({ offsetMs: -100, errorMs: 0 });
  });
});
