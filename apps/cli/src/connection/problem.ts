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
  const next = code === 'not-found' ? nextIfMissing : (NEXT[code] ?? nextForMissing(errors));
  return new Failure(
    `${what} failed: ${[title, detail ?? '']
      .filter((t) => t !== '')
      .map((text) => closed(asCommands(text)))
      .join(' ')}`,
    {
      code,
      lines: errors.map((e) => `${pointerText(e.pointer)}: ${asCommands(e.detail)}`),
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

/** Routes that the control plane's sentences name, as what to type instead. */
const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [/PUT \/v1\/sites\/(\S+?)(?=[.;,]?(\s|$))/g, 'plumb site add $1 --time-zone ZONE'],
  [/POST \/v1\/probes\/(\S+?)\/enrolment/g, 'plumb probe enrolment $1'],
  [/PATCH \/v1\/probes\/(\S+?)(?=[.;,]?(\s|$))/g, 'plumb probe remove $1, then plumb probe add $1'],
  [/POST \/v1\/probes(?![/\w])/g, 'plumb probe add NAME'],
  [/PATCH changes it/g, 'to change it, plumb probe remove and add it again'],
  [/PUT \/v1\/paths\/(\S+?)(?=[.;,]?(\s|$))/g, 'plumb path add $1'],
  [/PUT \/v1\/plans\/(\S+?)(?=[.;,]?(\s|$))/g, 'plumb plan put $1 -f FILE'],
];

/** A sentence of the control plane for somebody at a prompt: commands instead of routes. */
export const asCommands = (text: string): string =>
  COMMANDS.reduce((said, [route, command]) => said.replace(route, command), text);

/** What to type when a field names something that is not there: the list of what is. */
function nextForMissing(errors: readonly { detail: string }[]): string | undefined {
  const nouns = errors.flatMap(({ detail }) => /^there is no (path|plan|probe|site)\b/.exec(detail)?.[1] ?? []);
  return nouns[0] === undefined ? undefined : `plumb ${nouns[0]} list`;
}

const closed = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
