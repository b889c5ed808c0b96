import { describe, expect, it } from 'vitest';
import { parseRunEvent, type SampleEvent } from './run-event.js';
import { RunProgress, sampleText } from './run-progress.js';

const sample: SampleEvent = {
  type: 'sample',
  leg: 0,
  step: 1,
  attempt: 0,
  end: 'near',
  elapsedMs: 4200,
  rateBps: 76.8e6,
  rttMs: 18.3,
  cwndBytes: 600_000,
  sndWndBytes: 174_080,
  retransmits: 0,
};

describe('an event', () => {
  it('is read by its type', () => {
    const { type, ...data } = sample;
    expect(parseRunEvent(type, { ...data, at: '2026-11-30T16:00:00Z', sockets: 1 })).toEqual(sample);
    expect(parseRunEvent('run', { state: 'succeeded', verdict: 'none' })).toMatchObject({
      type: 'run',
      state: 'succeeded',
    });
  });
  it('of an unknown type or shape is passed over', () => {
    expect(parseRunEvent('weather', {})).toBeUndefined();
    expect(parseRunEvent('run', { state: 'exploded' })).toBeUndefined();
    expect(parseRunEvent('sample', null)).toBeUndefined();
  });
});

describe('progress of a run', () => {
  it('names the step and shows what the sender sees', () => {
    const progress = new RunProgress(['rtt', 'single-stream'], ['a']);
    expect(progress.take({ type: 'step', leg: 0, step: 1, state: 'running' })?.heading).toBe('single-stream (2 of 2)');
    expect(progress.take(sample)).toEqual({
      heading: 'single-stream (2 of 2)',
      news: '4.2 s  76.8 Mbit/s  rtt 18.3 ms  window 174 kB  retransmits 0',
    });
    expect(progress.take({ ...sample, end: 'far' })).toBeUndefined();
  });
  it('names the path when there are several, and the repeat', () => {
    const progress = new RunProgress(['rtt'], ['a', 'b']);
    expect(progress.take({ type: 'attempt', leg: 1, step: 0, attempt: 2, repeat: 3, outcome: null })?.heading).toBe(
      'b: rtt (1 of 1), repeat 3',
    );
  });
  it('leaves out what is not known', () => {
    expect(sampleText({ ...sample, rateBps: null, rttMs: null, retransmits: null })).toBe('4.2 s  window 174 kB');
  });
});
