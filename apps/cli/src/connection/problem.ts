import { PROBLEM_BASE, Problem } from '@plumbline/model';
import { Failure } from '../failure.js';

/** What to type after a problem, by its code; `{server}` stands for the address. */
const NEXT: Readonly<Record<string, string>> = {
  unauthorized: 'give the token of that control plane: --token-file DATA-DIR/admin.token, or set PLUMBLINE_TOKEN',
  'insufficient-scope': 'use a token that may do this, for example DATA-DIR/admin.token',
  'probe-unreachable':
    'start the probe there: plumb probe --name NAME --site SITE --listen ADDRESS --endpoint NAME=ADDRESS --data-dir DIR',
  'enrolment-token-invalid': 'ask for a new one: plumb probe enrolment NAME',
  'not-ready': 'try again in a few seconds',
  'database-unavailable': 'see whether Postgres runs, then try again',
};

/** Makes one sentence (and one line a field) of what the control plane answered instead of success. */
export function problemFailure(status: number, body: unknown, what: string, nextIfMissing?: string): Failure {
  const parsed = Problem.safeParse(body);
  if (!parsed.success)
    return new Failure(`${what} failed: the control plane answered with status ${status} and no explanation.`, {
      next: 'check that --server points at a Plumbline control plane',
    });
  const { title, detail, type, errors = [] } = parsed.data;
  const code = type.startsWith(PROBLEM_BASE) ? type.slice(PROBLEM_BASE.length) : type;
  const next = code === 'not-found' ? nextIfMissing : NEXT[code];
  return new Failure(
    `${what} failed: ${[title, detail ?? '']
      .filter((t) => t !== '')
      .map(closed)
      .join(' ')}`,
    {
      code,
      lines: errors.map((e) => `${pointerText(e.pointer)}: ${e.detail}`),
      ...(next === undefined ? {} : { next }),
    },
  );
}

/** `/tests/0/durationS` reads as `tests.0.durationS`, `#/query/limit` as `query limit`. */
export function pointerText(pointer: string): string {
  const parts = pointer
    .replace(/^#/, '')
    .split('/')
    .slice(1)
    .map((p) => p.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.length === 0 ? 'the body' : parts.join('.');
}

const closed = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
