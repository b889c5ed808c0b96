import { expect, test } from 'vitest';
import type { DirectionStat } from '../src/emulator-control.js';
import { LAB_ERRORS } from '../src/lab-error.js';
import { newState } from '../src/lab-state.js';
import type { LabStatus } from '../src/status.js';
import { labStatusText, labText } from '../src/text.js';
import { settlePath } from '../src/topology.js';
import { describeLab } from '../src/up.js';

const { links } = settlePath({ link2: { ba: { lossRatio: 0.01 } } });
const lab = describeLab(newState('lab', {}, { mode: 'detached', mtuBytes: 1500, links: [...links] }), {});
const direction: DirectionStat = {
  ...{ rateBps: 20e6, delayUs: 20_000, queueBytes: 150_000, queueUs: 0, lossRatio: 0, duplicateRatio: 0 },
  ...{
    reorderRatio: 0,
    reorderExtraUs: 0,
    policerBps: 0,
    policerBurstBytes: 0,
    flowRateBps: 0,
    maxPacketBytes: 0,
    windowScale: true,
  },
  ...{ up: true, received: 12, receivedBytes: 1000, delivered: 10, deliveredBytes: 900, lost: 0, droppedDown: 0 },
  ...{ droppedLong: 0, droppedPolicer: 0, droppedQueue: 2, droppedMemory: 0, undeliverable: 0, duplicated: 0 },
  ...{ reordered: 0, windowScaleStripped: 0, queuedBytes: 0, inFlightPackets: 0, lateMeanUs: 21.4, lateMaxUs: 90 },
};
const status: LabStatus = {
  ...lab,
  state: 'up',
  createdAt: '2026-01-01T00:00:00.000Z',
  overruns: 0,
  linkStatus: [
    {
      link: 1,
      pid: 7,
      alive: true,
      stat: { pid: 7, ab: direction, ba: { ...direction, up: false, policerBps: 5e6, policerBurstBytes: 30_000 } },
    },
    { link: 2, pid: 8, alive: false, stat: null, problem: 'the emulator of link 2 has ended' },
  ],
};

test('up: the path, the addresses and the next command', () => {
  const text = labText(lab);
  expect(text).toContain('link 1: 100 Mbit/s, 2 ms one way, queue 150 KB\n');
  expect(text).toContain('link 2 ab: 20 Mbit/s, 20 ms one way, queue 150 KB\n');
  expect(text).toContain('link 2 ba: 20 Mbit/s, 20 ms one way, queue 150 KB, loss 1 %\n');
  expect(text).toContain('plumb-lab-server: wan0 192.0.2.66');
  expect(text).toContain('plumb lab exec --name lab client -- ping -c 5 192.0.2.66');
  expect(text).toContain('plumb lab down --name lab');
});

test('status: what is set, what was counted, what is wrong', () => {
  const text = labStatusText(status);
  expect(text).toContain('ab: 20 Mbit/s, 20 ms one way, queue 150 KB\n');
  expect(text).toContain('12 packets in, 10 out, 2 dropped by the queue, late by 21 us on average, 90 us at most');
  expect(text).toContain('ba: DOWN, 20 Mbit/s, 20 ms one way, queue 150 KB, policed to 5 Mbit/s, burst 30 KB');
  expect(text).toContain('link 2: the emulator of link 2 has ended');
  expect(text).not.toContain('too busy');
  expect(labStatusText({ ...status, overruns: 3 })).toContain('3 frames were lost because the machine was too busy');
});

test('every error code says what it means', () => {
  for (const text of Object.values(LAB_ERRORS)) expect(text).toMatch(/^[A-Z].{10,}/);
});
