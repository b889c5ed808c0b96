// The import rules of docs/architecture.md, each by its own name. tools/import-rules.test.ts plants a violation of each.

/** What each room may import of ours; `testing` may import anything. */
const ROOMS = {
  'libs/model': [],
  'libs/analysis': ['libs/model'],
  'libs/measure': ['libs/model', 'libs/analysis'],
  'libs/plans': ['libs/model', 'libs/measure'],
  'libs/process': ['libs/model'],
  'libs/probe-rpc': ['libs/model'],
  'libs/embedded': ['libs/model', 'libs/process'],
  'libs/api-client': ['libs/model'],
  'apps/lab': ['libs/model', 'libs/process'],
  'apps/probe': ['libs/model', 'libs/measure', 'libs/process', 'libs/probe-rpc'],
  'apps/control-plane': ['libs/model', 'libs/analysis', 'libs/measure', 'libs/plans', 'libs/probe-rpc'],
  'apps/console': ['libs/model', 'libs/analysis', 'libs/api-client'],
  'apps/cli': [
    ...['libs/model', 'libs/analysis', 'libs/api-client', 'libs/process', 'libs/embedded'],
    ...['apps/lab', 'apps/probe', 'apps/control-plane'],
  ],
};

/** Tests, their helpers and benchmarks: they may cross rooms, but only through entry points. */
const TESTS = ['\\.test\\.tsx?$', '^(apps|libs)/[^/]+/(test|bench)/'];
const PURE = '^libs/(model|analysis|measure|plans)/';

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const rooms = Object.entries(ROOMS).map(([room, may]) => ({
  name: `imports-of-${room.replace(/^.*\//, '')}`,
  comment: may.length === 0 ? `${room} imports nothing of ours` : `${room} imports only ${may.join(', ')}`,
  severity: 'error',
  from: { path: `^${room}/`, pathNot: TESTS },
  // `testing` has a rule of its own.
  to: { path: '^(apps|libs|tools)/', pathNot: [`^${room}/`, '^libs/testing/', ...may.map((other) => `^${other}/`)] },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...rooms,
    {
      name: 'testing-only-in-tests',
      comment: 'only tests import libs/testing',
      severity: 'error',
      from: { path: '^(apps|libs|tools)/', pathNot: ['^libs/testing/', ...TESTS] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'known-rooms',
      comment: 'a new room needs a line in ROOMS above and in docs/architecture.md',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^libs/testing/', ...Object.keys(ROOMS).map((room) => `^${room}/`)] },
      to: {},
    },
    {
      name: 'entry-points-only',
      comment: 'another room is entered by its src/index.ts alone, also from tests',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: { path: '^(apps|libs)/[^/]+/', pathNot: ['^$1/$2/', '^(apps|libs)/[^/]+/src/index\\.ts$'] },
    },
    {
      name: 'by-package-name',
      comment: 'another room is imported as @plumbline/room, not by a relative path',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: { path: '^(apps|libs)/', pathNot: '^$1/$2/', dependencyTypes: ['local'] },
    },
    {
      name: 'pure-no-node',
      comment: 'model, analysis, measure and plans do no input and output: clock, seed and bytes are arguments',
      severity: 'error',
      from: { path: PURE, pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'pure-no-nest',
      severity: 'error',
      from: { path: PURE, pathNot: TESTS },
      to: { path: 'node_modules/@nestjs/' },
    },
    {
      name: 'pure-no-prisma',
      severity: 'error',
      from: { path: PURE, pathNot: TESTS },
      to: { path: 'node_modules/(@prisma/|prisma/|\\.prisma/)' },
    },
    {
      name: 'only-process-starts-processes',
      comment: 'only libs/process imports node:child_process, besides tools and tests',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^libs/process/', ...TESTS] },
      to: { path: '^(node:)?child_process$' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolvable',
      comment: 'an import that leads nowhere is checked by no other rule',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|generated)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@plumbline/source', 'import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
