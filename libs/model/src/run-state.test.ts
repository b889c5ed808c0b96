import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  combineStates,
  combineVerdicts,
  isTerminal,
  mayBecome,
  REREADINGS,
  StepState,
  statesBefore,
  statesRereadAs,
  TRANSITIONS,
  Verdict,
} from './run-state.js';

const state = fc.constantFrom(...StepState.options);

test('a terminal state is never left, and every state is reachable from queued', () => {
  for (const s of StepState.options)
    if (isTerminal(s)) for (const t of StepState.options) expect(mayBecome(s, t)).toBe(false);
  const reached = new Set<StepState>(['queued']);
  for (const s of reached) for (const t of TRANSITIONS[s]) reached.add(t);
  expect([...reached].sort()).toEqual([...StepState.options].sort());
});
test('statesBefore is the inverse of the table', () => {
  fc.assert(
    fc.property(state, state, (a, b) => {
      expect(statesBefore(b).includes(a)).toBe(mayBecome(a, b));
    }),
  );
});
test('a new reading moves what has ended between succeeded and failed alone', () => {
  for (const from of StepState.options) {
    for (const to of REREADINGS[from]) expect(isTerminal(to)).toBe(true);
    if (!isTerminal(from)) expect(REREADINGS[from]).toEqual([]);
  }
  expect(statesRereadAs('succeeded')).toEqual(['succeeded', 'failed']);
  expect(statesRereadAs('failed')).toEqual(['succeeded', 'failed']);
  expect(statesRereadAs('cancelled')).toEqual(['cancelled']);
  expect(statesRereadAs('running')).toEqual([]);
});
test('a run is failed if any leg is, and cancelled if somebody cancelled it', () => {
  expect(combineStates(['succeeded', 'succeeded'])).toBe('succeeded');
  expect(combineStates(['succeeded', 'failed'])).toBe('failed');
  expect(combineStates(['failed', 'cancelled'])).toBe('cancelled');
  expect(combineStates(['succeeded', 'skipped'])).toBe('succeeded');
});
test('one null criterion keeps a verdict from passing, one missed one fails it', () => {
  expect(combineVerdicts([])).toBe('none');
  expect(combineVerdicts(['pass', 'pass'])).toBe('pass');
  expect(combineVerdicts(['pass', 'inconclusive'])).toBe('inconclusive');
  expect(combineVerdicts(['inconclusive', 'fail', 'pass'])).toBe('fail');
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Verdict.options)), (vs) => {
      if (combineVerdicts(vs) === 'pass') expect(vs.every((v) => v === 'pass' || v === 'none')).toBe(true);
    }),
  );
});
