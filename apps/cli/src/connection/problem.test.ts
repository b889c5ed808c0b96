import { PROBLEM_BASE } from '@plumbline/model';
import { describe, expect, it } from 'vitest';
import { pointerText, problemFailure } from './problem.js';

const problem = (code: string, more: object = {}) => ({
  type: `${PROBLEM_BASE}${code}`,
  title: 'The request is not valid',
  status: 422,
  ...more,
});

describe('a problem of the control plane', () => {
  it('is one sentence with a line for each field', () => {
    const failure = problemFailure(
      422,
      problem('invalid-request', {
        detail: 'One field is wrong',
        errors: [{ pointer: '/tests/0/durationS', detail: 'must be at most 3600' }],
      }),
      'Storing plan x',
    );
    expect(failure.message).toBe('Storing plan x failed: The request is not valid. One field is wrong.');
    expect(failure.lines).toEqual(['tests.0.durationS: must be at most 3600']);
    expect(failure.exitCode).toBe(1);
  });

  it('says what to type next', () => {
    expect(problemFailure(401, problem('unauthorized'), 'x').next).toContain('--token-file');
    expect(problemFailure(404, problem('not-found'), 'x', 'plumb plan list').next).toBe('plumb plan list');
    expect(problemFailure(422, problem('invalid-request'), 'x').next).toBeUndefined();
  });

  it('names commands instead of routes, and the list of what there is', () => {
    const failureOf = (detail: string) =>
      problemFailure(422, problem('invalid-request', { errors: [{ pointer: '/site', detail }] }), 'x');
    const site = failureOf('there is no site x; make it first: PUT /v1/sites/x');
    expect(site.lines).toEqual(['site: there is no site x; make it first: plumb site add x --time-zone ZONE']);
    expect(failureOf('there is no path demo-path').next).toBe('plumb path list');
    expect(failureOf('too long').next).toBeUndefined();
    const changed = problemFailure(
      409,
      problem('conflict', { detail: 'It is there; PATCH /v1/probes/b changes it.' }),
      'x',
    );
    expect(changed.message).toContain('plumb probe remove b, then plumb probe add b changes it');
  });

  it('does not guess at an answer that is no problem document', () => {
    const failure = problemFailure(502, '<html>Bad gateway</html>', 'Listing sites');
    expect(failure.message).toContain('502');
    expect(failure.message).not.toContain('html');
  });

  it.each([
    ['/tests/0/kind', 'tests.0.kind'],
    ['#/query/limit', 'query.limit'],
    ['', 'the body'],
    ['/a~1b', 'a/b'],
  ])('%s reads as %s', (pointer, text) => expect(pointerText(pointer)).toBe(text));
});
