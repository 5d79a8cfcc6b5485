// The checks of a commit at GitHub, as one report.
import { expect, test } from 'vitest';
import type {
  CheckRunAnswer,
  CheckSuiteAnswer,
  PastStatus,
  StatusAnswer,
} from '../../../src/hosts/github/check-answers.ts';
import { readReport } from '../../../src/hosts/github/check-report.ts';
import { isCanceledAgain, judgeBuild } from '../../../src/domain/queue/evidence/evidence.ts';
import { withdrawnChecks } from '../../../src/domain/queue/evidence/recorded-checks.ts';
import type { BuildState, CheckState } from '../../../src/domain/queue/model/snapshot.ts';
import type { CheckReport } from '../../../src/hosts/port.ts';

const commit = 'a'.repeat(40);
const now = Date.parse('2026-11-02T10:00:00Z');
const ownApp = { databaseId: 9, slug: 'interlock' };
const otherApp = { databaseId: 7, slug: 'other-ci' };
const actions = { databaseId: 15368, slug: 'github-actions' };

function at(sec: number): string {
  return new Date(now + sec * 1000).toISOString();
}

let ids = 0;
function run(name: string, conclusion: string | null, given: Partial<CheckRunAnswer> = {}): CheckRunAnswer {
  ids += 1;
  return {
    databaseId: ids,
    name,
    status: conclusion === null ? 'IN_PROGRESS' : 'COMPLETED',
    conclusion,
    startedAt: at(-300),
    completedAt: conclusion === null ? null : at(-200),
    permalink: `https://github.com/acme/shop/runs/${ids}`,
    title: null,
    summary: null,
    ...given,
  };
}

/** The times of a run that repeats one of `run`. A copy of a run has the times of the run. */
const repeatedLater = { startedAt: at(-150), completedAt: at(-100) };

function suite(event: string | null, nodes: readonly CheckRunAnswer[], given: Partial<CheckSuiteAnswer> = {}) {
  const isOver = nodes.every(({ status }) => status === 'COMPLETED');
  return {
    status: isOver ? 'COMPLETED' : 'IN_PROGRESS',
    conclusion: isOver ? 'SUCCESS' : null,
    updatedAt: at(-200),
    app: actions,
    workflowRun:
      event === null
        ? null
        : { event, createdAt: at(-400), url: 'https://github.com/run', workflow: { name: 'ci', databaseId: 1 } },
    checkRuns: { nodes },
    ...given,
  };
}

const drone = { __typename: 'Bot', login: 'drone' };

function status(context: string, state: string, creator: StatusAnswer['creator'] = drone): StatusAnswer {
  return { context, state, description: 'said', targetUrl: 'https://ci.test/1', createdAt: at(-200), creator };
}

interface Given {
  readonly suites?: readonly CheckSuiteAnswer[];
  readonly statuses?: readonly StatusAnswer[];
  readonly history?: readonly PastStatus[];
  readonly message?: string;
  readonly pinned?: Readonly<Record<string, readonly string[]>>;
  readonly expected?: readonly string[];
  readonly movedAt?: number | null;
  readonly isCut?: boolean;
  readonly wasComplete?: boolean;
}

function read({
  suites = [],
  statuses = [],
  history = [],
  message = 'Add tea\n',
  pinned = {},
  expected = [],
  movedAt = now - 600_000,
  isCut = false,
  wasComplete = false,
}: Given): CheckReport {
  return readReport(
    commit,
    { message, suites, isCut, statuses, statusHistory: history },
    { expected, pinned, movedAt, wasComplete, ownAppId: '9', now },
  );
}

function brief(report: CheckReport): string[] {
  return report.checks.map(({ name, conclusion, attempt }) => `${name} ${conclusion} ${attempt}`);
}

test.each<{ name: string; given: Given; checks: readonly string[] }>([
  {
    name: 'a passed and a running one',
    given: { suites: [suite('push', [run('test', 'SUCCESS'), run('lint', null)])] },
    checks: ['lint pending 1', 'test success 1'],
  },
  {
    name: 'a rerun counts instead of the run before',
    given: { suites: [suite('push', [run('test', 'FAILURE'), run('test', 'SUCCESS')])] },
    checks: ['test success 2'],
  },
  {
    name: 'a job of an earlier attempt that waits for jobs of the newest attempt',
    given: {
      suites: [
        suite('push', [run('build', 'SUCCESS'), run('test', 'SUCCESS'), run('build', null, { startedAt: at(-100) })]),
      ],
    },
    checks: ['build pending 2', 'test pending 1'],
  },
  {
    name: 'a job of an earlier attempt that starts after the jobs of the newest attempt have ended',
    given: {
      suites: [
        suite(
          'push',
          [run('build', 'SUCCESS'), run('test', 'FAILURE'), run('build', 'SUCCESS', { startedAt: at(-200) })],
          { status: 'IN_PROGRESS', conclusion: null },
        ),
      ],
    },
    checks: ['build success 2', 'test pending 1'],
  },
  {
    name: 'a job of the newest attempt that was not repeated',
    given: {
      suites: [
        suite('push', [
          run('test', 'FAILURE'),
          run('lint', 'SUCCESS'),
          run('test', null, { startedAt: at(-100) }),
          run('lint', 'SUCCESS'),
        ]),
      ],
    },
    checks: ['lint success 2', 'test pending 2'],
  },
  {
    name: 'a job beside two jobs with one name in one attempt',
    given: {
      suites: [suite('push', [run('lint', 'SUCCESS'), run('test', 'SKIPPED'), run('test', null), run('slow', null)])],
    },
    checks: ['lint success 1', 'slow pending 1', 'test pending 2'],
  },
  {
    name: 'an ended job of the first attempt whose workflow run goes on',
    given: { suites: [suite('push', [run('build', 'SUCCESS')], { status: 'IN_PROGRESS', conclusion: null })] },
    checks: ['build success 1'],
  },
  {
    name: 'jobs of a workflow run that starts again and has no new job yet',
    given: {
      suites: [suite('push', [run('test', 'SUCCESS')], { status: 'QUEUED', conclusion: null })],
      wasComplete: true,
    },
    checks: ['test pending 1'],
  },
  {
    name: 'a check whose App was asked to run it again, and has not begun',
    given: { suites: [suite(null, [run('scan', 'SUCCESS')], { app: otherApp, status: 'QUEUED', conclusion: null })] },
    checks: ['scan pending 1'],
  },
  {
    name: 'a check whose App ignores for ten minutes that it was asked to run it again',
    given: {
      suites: [
        suite(null, [run('scan', 'SUCCESS')], {
          app: otherApp,
          status: 'QUEUED',
          conclusion: null,
          updatedAt: at(-600),
        }),
      ],
    },
    checks: ['scan success 1'],
  },
  {
    name: 'a running rerun',
    given: { suites: [suite('push', [run('test', 'FAILURE'), run('test', null)])] },
    checks: ['test pending 2'],
  },
  {
    name: 'a run that a later run of its workflow canceled, such as by a concurrency group: the later one counts',
    given: {
      suites: [
        suite('pull_request', [run('test', 'CANCELLED'), run('lint', 'SUCCESS'), run('report', 'SKIPPED')]),
        suite('pull_request', [run('test', 'SUCCESS'), run('lint', 'SUCCESS'), run('report', 'SUCCESS')]),
      ],
    },
    checks: ['lint success 2', 'report success 2', 'test success 2', 'test stale 1', 'report stale 1'],
  },
  {
    name: 'a run that a later run of its workflow canceled, while the later one runs',
    given: { suites: [suite('pull_request', [run('test', 'CANCELLED')]), suite('pull_request', [run('test', null)])] },
    checks: ['test pending 2', 'test stale 1'],
  },
  {
    name: 'a run that a later run of its workflow canceled, and the later one was canceled too: only the first one is replaced',
    given: {
      suites: [suite('pull_request', [run('test', 'CANCELLED')]), suite('pull_request', [run('test', 'CANCELLED')])],
    },
    checks: ['test cancelled 2', 'test stale 1'],
  },
  {
    name: 'a canceled job that GitHub copied into the next attempt, which repeated another job: one cancellation',
    given: {
      suites: [
        suite('push', [
          run('test', 'CANCELLED'),
          run('build', 'FAILURE'),
          run('build', 'SUCCESS', repeatedLater),
          run('test', 'CANCELLED'),
        ]),
      ],
    },
    checks: ['build success 2', 'test cancelled 2', 'test stale 1'],
  },
  {
    name: 'a replaced run beside a status with the same name, whose attempt has the same number',
    given: {
      suites: [suite('pull_request', [run('test', 'CANCELLED')]), suite('pull_request', [run('test', 'SUCCESS')])],
      statuses: [status('test', 'FAILURE')],
    },
    checks: ['test failure 3'],
  },
  {
    name: 'a replaced run of one event, after a run of another event',
    given: {
      suites: [
        suite('push', [run('test', 'SUCCESS')]),
        suite('pull_request', [run('test', 'CANCELLED')]),
        suite('pull_request', [run('test', 'CANCELLED')]),
      ],
    },
    checks: ['test cancelled 3', 'test stale 2'],
  },
  {
    name: 'a replaced run of one event, after a canceled or a failed run of another event',
    given: {
      suites: [
        suite('push', [run('canceled', 'CANCELLED'), run('failed', 'FAILURE')]),
        suite('pull_request', [run('canceled', 'CANCELLED'), run('failed', 'CANCELLED')]),
        suite('pull_request', [run('canceled', 'SUCCESS'), run('failed', 'SUCCESS')]),
      ],
    },
    checks: ['canceled cancelled 3', 'failed failure 3', 'canceled stale 1', 'canceled stale 2'],
  },
  {
    name: 'a replaced run, and then a run of another event before the later run of its workflow',
    given: {
      suites: [
        suite('pull_request', [run('test', 'CANCELLED')]),
        suite('push', [run('test', 'SUCCESS')]),
        suite('pull_request', [run('test', 'SUCCESS')]),
      ],
    },
    checks: ['test success 3', 'test stale 1', 'test stale 2'],
  },
  {
    name: 'a canceled run that ran again in the same run of its workflow',
    given: { suites: [suite('pull_request', [run('test', 'CANCELLED'), run('test', 'CANCELLED', repeatedLater)])] },
    checks: ['test cancelled 2'],
  },
  {
    name: 'a canceled run, and a later run of its workflow that skips the job',
    given: {
      suites: [suite('pull_request', [run('test', 'CANCELLED')]), suite('pull_request', [run('test', 'SKIPPED')])],
    },
    checks: ['test cancelled 2', 'test stale 1'],
  },
  {
    name: 'a canceled run after a passed one of its workflow',
    given: {
      suites: [suite('pull_request', [run('test', 'SUCCESS')]), suite('pull_request', [run('test', 'CANCELLED')])],
    },
    checks: ['test cancelled 2'],
  },
  {
    name: 'a canceled run and a later one of another event, of another workflow, and of another App',
    given: {
      suites: [
        suite('pull_request', [run('one', 'CANCELLED'), run('two', 'CANCELLED'), run('three', 'CANCELLED')]),
        suite('push', [run('one', 'SUCCESS')]),
        suite('pull_request', [run('two', 'SUCCESS')], {
          workflowRun: { event: 'pull_request', createdAt: at(-400), url: '', workflow: { name: 'ci', databaseId: 2 } },
        }),
        suite('pull_request', [run('three', 'SUCCESS')], { app: otherApp }),
      ],
    },
    checks: ['one cancelled 2', 'three cancelled 2', 'two cancelled 2', 'one stale 1', 'two stale 1', 'three stale 1'],
  },
  {
    name: 'a canceled run that ran again in its suite, beside a run of another event',
    given: {
      suites: [
        suite('push', [run('test', 'CANCELLED'), run('test', 'CANCELLED', repeatedLater)]),
        suite('pull_request', [run('test', 'SUCCESS')]),
      ],
    },
    checks: ['test cancelled 3', 'test stale 2'],
  },
  {
    name: 'a check of push and one of pull_request with the same name: the red one counts',
    given: { suites: [suite('push', [run('test', 'SUCCESS')]), suite('pull_request', [run('test', 'FAILURE')])] },
    checks: ['test failure 2'],
  },
  {
    name: 'a check of push and one of pull_request with the same name: the running one counts before the red one',
    given: { suites: [suite('push', [run('test', null)]), suite('pull_request', [run('test', 'FAILURE')])] },
    checks: ['test pending 2'],
  },
  {
    name: 'a job that is skipped for bot branches, beside a job that passes',
    given: { suites: [suite('push', [run('test', 'SUCCESS')]), suite('pull_request', [run('test', 'SKIPPED')])] },
    checks: ['test success 2'],
  },
  {
    name: 'a commit whose runs were not all read: a later attempt may be among the others',
    given: {
      suites: [suite('push', [run('red', 'FAILURE'), run('green', 'FAILURE'), run('green', 'SUCCESS')])],
      statuses: [status('said', 'SUCCESS')],
      isCut: true,
    },
    checks: ['green pending 3', 'red pending 2', 'said pending 2'],
  },
  {
    name: 'statuses',
    given: {
      statuses: ['SUCCESS', 'PENDING', 'EXPECTED', 'FAILURE', 'ERROR', 'NEW'].map((state) =>
        status(state.toLowerCase(), state),
      ),
    },
    checks: [
      'error error 1',
      'expected pending 1',
      'failure failure 1',
      'new unknown 1',
      'pending pending 1',
      'success success 1',
    ],
  },
  {
    name: 'a status and a run with the same name',
    given: { suites: [suite('push', [run('test', 'SUCCESS')])], statuses: [status('test', 'FAILURE')] },
    checks: ['test failure 2'],
  },
  {
    name: 'two Apps report checks with the same name, without a rule: both must pass',
    given: {
      suites: [suite('push', [run('test', 'SUCCESS')]), suite(null, [run('test', 'FAILURE')], { app: otherApp })],
    },
    checks: ['test failure 2'],
  },
  {
    name: 'two Apps report checks with the same name, and a rule names one of the Apps: the other check does not count',
    given: {
      suites: [suite('push', [run('test', 'SUCCESS')]), suite(null, [run('test', 'FAILURE')], { app: otherApp })],
      pinned: { test: [String(actions.databaseId)] },
    },
    checks: ['test success 1', 'test (other-ci) failure 1'],
  },
  {
    name: 'only another App than that of the rule has reported the check',
    given: { suites: [suite('push', [run('test', 'SUCCESS')])], pinned: { test: ['7'] } },
    checks: ['test (github-actions) success 1'],
  },
  {
    name: 'rules name two Apps for one check',
    given: {
      suites: [suite('push', [run('test', 'SUCCESS')]), suite(null, [run('test', 'FAILURE')], { app: otherApp })],
      pinned: { test: [String(actions.databaseId), '7'] },
    },
    checks: ['test failure 2'],
  },
  {
    name: 'statuses of a check for which a rule names an App: that of the App counts, those of a person and of a deleted account do not',
    given: {
      statuses: [
        status('a', 'SUCCESS'),
        status('b', 'SUCCESS', { __typename: 'User', login: 'ada' }),
        status('c', 'SUCCESS', null),
      ],
      pinned: { a: ['7'], b: ['7'], c: ['7'] },
    },
    checks: ['a success 1', 'b (ada) success 1', 'c (ghost) success 1'],
  },
  {
    name: 'a message that stops workflows: the checks that did not begin',
    given: {
      suites: [suite(null, [run('lint', 'SUCCESS')], { app: otherApp })],
      message: 'Add tea [skip ci]',
      expected: ['lint', 'test'],
    },
    checks: ['lint success 1', 'test action_required 1'],
  },
  {
    name: 'such a message while checks may still begin',
    given: { message: 'Add tea [skip ci]', expected: ['test'], movedAt: now - 1_000 },
    checks: [],
  },
  {
    name: 'a run that could not start',
    given: { suites: [suite('push', [run('test', 'STARTUP_FAILURE')])] },
    checks: ['test failure 1'],
  },
  {
    name: 'a run that waits for an approval',
    given: { suites: [suite('pull_request', [run('test', 'ACTION_REQUIRED')])] },
    checks: ['test action_required 1'],
  },
  {
    name: 'an unknown conclusion',
    given: { suites: [suite('push', [run('test', 'PONDERED')])] },
    checks: ['test unknown 1'],
  },
  {
    name: 'a workflow that could not start has no runs',
    given: { suites: [suite('push', [], { conclusion: 'STARTUP_FAILURE' })] },
    checks: ['ci failure 1'],
  },
  {
    name: 'a workflow that waits for an approval has no runs',
    given: { suites: [suite('pull_request', [], { conclusion: 'ACTION_REQUIRED' })] },
    checks: ['ci action_required 1'],
  },
  {
    name: 'an App that stays silent',
    given: { suites: [suite(null, [], { status: 'QUEUED', conclusion: null })] },
    checks: [],
  },
  {
    name: 'checks of Interlock itself',
    given: { suites: [suite(null, [run('interlock', 'FAILURE')], { app: ownApp })] },
    checks: [],
  },
  {
    name: 'a workflow that was started by name',
    given: { suites: [suite('workflow_dispatch', [run('deploy', 'FAILURE')])] },
    checks: [],
  },
  {
    name: 'a job that was skipped in a run with a canceled job',
    given: { suites: [suite('push', [run('slow', 'CANCELLED'), run('all', 'SKIPPED')])] },
    checks: ['all cancelled 1', 'slow cancelled 1'],
  },
  {
    name: 'a job that was skipped in another run than a canceled job',
    given: { suites: [suite('push', [run('slow', 'CANCELLED')]), suite('push', [run('all', 'SKIPPED')])] },
    checks: ['all skipped 1', 'slow cancelled 1'],
  },
  {
    name: 'a job that was skipped after the canceled job ran again',
    given: {
      suites: [
        suite('push', [run('slow', 'CANCELLED'), run('all', 'SKIPPED'), run('slow', 'SUCCESS'), run('all', 'SKIPPED')]),
      ],
    },
    checks: ['all skipped 2', 'slow success 2'],
  },
  {
    name: 'a skipped check of another App beside a canceled one',
    given: { suites: [suite(null, [run('slow', 'CANCELLED'), run('all', 'SKIPPED')])] },
    checks: ['all skipped 1', 'slow cancelled 1'],
  },
  {
    name: 'two jobs of one name in one run of a workflow, of which one is skipped: the other counts, also while it runs',
    given: {
      suites: [
        suite('push', [
          ...[run('failed', 'FAILURE'), run('failed', 'SKIPPED')],
          ...[run('running', null), run('running', 'SKIPPED')],
          ...[run('skipped first', 'SKIPPED'), run('skipped first', 'FAILURE')],
          ...[run('skipped', 'SKIPPED'), run('skipped', 'SKIPPED')],
        ]),
      ],
    },
    checks: ['failed failure 2', 'running pending 2', 'skipped skipped 2', 'skipped first failure 2'],
  },
  {
    name: 'a check of an App without workflows that is skipped when it runs again',
    given: { suites: [suite(null, [run('scan', 'FAILURE'), run('scan', 'SKIPPED')], { app: otherApp })] },
    checks: ['scan skipped 2'],
  },
  {
    name: 'a suite of a deleted App',
    given: { suites: [suite(null, [run('scan', 'SUCCESS')], { app: null })] },
    checks: ['scan success 1'],
  },
])('$name', ({ given, checks }) => {
  expect(brief(read(given))).toEqual(checks);
});

/** The build after these reports. A later result of an attempt is recorded, unless it is pending. */
function recordAll(reports: readonly CheckReport[]): BuildState {
  const recorded = new Map<string, CheckState>();
  for (const { name, attempt, conclusion } of reports.flatMap(({ checks }) => checks)) {
    const key = `${attempt} ${name}`;
    if (!recorded.has(key) || conclusion !== 'pending') recorded.set(key, { name, attempt, conclusion });
  }
  return {
    ...{ commit, tree: 'tree', base: 'base', startedAt: now, finishedAt: null, lastEndAt: null },
    checks: [...recorded.values()],
    complete: reports.at(-1)?.complete ?? false,
  };
}

const requiresTest = [{ name: 'test', acceptableStatuses: ['success' as const] }];

test('one canceled run counts as one cancellation, although a run of another event began later', () => {
  const canceled = suite('push', [run('test', 'CANCELLED')]);
  const later = run('test', null);
  const isOver = { status: 'COMPLETED', conclusion: 'SUCCESS', completedAt: at(-100) };
  const reports = [[], [suite('pull_request', [later])], [suite('pull_request', [{ ...later, ...isOver }])]].map(
    (suites) => read({ suites: [canceled, ...suites], expected: ['test'] }),
  );
  const build = recordAll(reports);
  expect(judgeBuild(build, requiresTest)).toBe('none');
  expect(isCanceledAgain(build, [build], { requiredChecks: requiresTest })).toBe(false);

  const again = suite('push', [...(canceled.checkRuns?.nodes ?? []), run('test', 'CANCELLED', repeatedLater)]);
  const passed = suite('pull_request', [{ ...later, ...isOver }]);
  const repeated = recordAll([...reports, read({ suites: [again, passed], expected: ['test'] })]);
  expect(isCanceledAgain(repeated, [repeated], { requiredChecks: requiresTest })).toBe(true);
});

test('a workflow that waited for an approval is withdrawn as a check when it has begun', () => {
  const waits = suite('pull_request', [], { conclusion: 'ACTION_REQUIRED' });
  const before = read({ suites: [waits] });
  const begun = suite('pull_request', [run('test', null)]);
  expect(withdrawnChecks(read({ suites: [begun] }), before)).toEqual(['ci']);
  expect(withdrawnChecks(read({ suites: [begun, waits] }), before)).toEqual([]);
  expect(withdrawnChecks(before, before)).toEqual([]);
  const failed = read({ suites: [suite('push', [], { conclusion: 'STARTUP_FAILURE' })] });
  expect(withdrawnChecks(read({ suites: [begun] }), failed)).toEqual([]);
});

test('a failed status counts, although a run with its name has passed in a second attempt before', () => {
  const suites = [suite('push', [run('test', 'FAILURE'), run('test', 'SUCCESS')])];
  const before = read({ suites, expected: ['test'] });
  expect(judgeBuild(recordAll([before]), requiresTest)).toBe('green');
  const history = [{ context: 'test', state: 'failure' }];
  const after = read({ suites, expected: ['test'], statuses: [status('test', 'FAILURE')], history });
  expect(judgeBuild(recordAll([before, after]), requiresTest)).toBe('red');
});

test.each([
  ['SUCCESS', 'success'],
  ['FAILURE', 'failure'],
  ['CANCELLED', 'cancelled'],
  ['TIMED_OUT', 'timed_out'],
  ['SKIPPED', 'skipped'],
  ['NEUTRAL', 'neutral'],
  ['STALE', 'stale'],
])('the conclusion %s is %s', (said, conclusion) => {
  const report = read({ suites: [suite('push', [run('test', said)])] });
  expect(report.checks.map((check) => check.conclusion)).toEqual([conclusion]);
  expect(report.canceled).toBe(said === 'CANCELLED');
});

test('a check has its page, its times and its event', () => {
  const seen = run('test', 'FAILURE', { title: 'One failed', summary: 'long' });
  const { checks } = read({ suites: [suite('pull_request', [seen])] });
  expect(checks).toEqual([
    {
      name: 'test',
      attempt: 1,
      conclusion: 'failure',
      url: seen.permalink,
      summary: 'One failed',
      event: 'pull_request',
      workflowRunAt: now - 400_000,
      startedAt: now - 300_000,
      completedAt: now - 200_000,
      newestRun: seen.databaseId,
    },
  ]);
});

test.each<[string, readonly (readonly [string, number])[], string, number]>([
  [
    'the head itself',
    [
      ['pull_request', -100],
      ['push', -400],
    ],
    'push',
    -400,
  ],
  [
    'the newest base branch',
    [
      ['pull_request', -400],
      ['pull_request', -100],
    ],
    'pull_request',
    -100,
  ],
])('of two green runs, a check has the event and the time of the one that tested %s', (_what, ran, event, madeAt) => {
  const suites = ran.map(([by, createdAt]) => {
    const made = suite(by, [run('test', 'SUCCESS')]);
    return { ...made, workflowRun: made.workflowRun && { ...made.workflowRun, createdAt: at(createdAt) } };
  });
  for (const given of [suites, suites.toReversed()])
    expect(read({ suites: given }).checks).toMatchObject([{ event, workflowRunAt: now + madeAt * 1000 }]);
});

test('a run that waits for an approval says who must act', () => {
  const { checks } = read({ suites: [suite('pull_request', [run('test', 'ACTION_REQUIRED', { title: 'x' })])] });
  expect(checks[0]?.summary).toBe('A maintainer must approve the run at GitHub.');
});

const passed = suite('push', [run('test', 'SUCCESS')]);

test.each<{ name: string; given: Given; complete: boolean; settlesIn: number | null }>([
  { name: 'nothing has started, and the branch moved now', given: { movedAt: now }, complete: false, settlesIn: 60 },
  { name: 'nothing has started in a minute', given: { movedAt: now - 60_000 }, complete: true, settlesIn: null },
  { name: 'the branch moved at an unknown time', given: { movedAt: null }, complete: true, settlesIn: null },
  {
    name: 'a check runs',
    given: { suites: [suite('push', [run('test', null)])], expected: ['lint'] },
    complete: false,
    settlesIn: null,
  },
  { name: 'a status is pending', given: { statuses: [status('test', 'PENDING')] }, complete: false, settlesIn: null },
  {
    name: 'a workflow goes on although its first job has ended',
    given: { suites: [suite('push', [run('test', 'SUCCESS')], { status: 'IN_PROGRESS' })], expected: ['test'] },
    complete: false,
    settlesIn: null,
  },
  {
    name: 'all expected names have ended, the branch moved now',
    given: { suites: [passed], expected: ['test'], movedAt: now },
    complete: true,
    settlesIn: null,
  },
  {
    name: 'an expected name is missing, the branch moved now',
    given: { suites: [passed], expected: ['test', 'lint'], movedAt: now },
    complete: false,
    settlesIn: 60,
  },
  {
    name: 'an expected name is missing, and enough time has passed',
    given: { suites: [passed], expected: ['test', 'lint'] },
    complete: true,
    settlesIn: null,
  },
  {
    name: 'the last check ended five seconds ago',
    given: { suites: [suite('push', [run('test', 'SUCCESS', { completedAt: at(-5) })])] },
    complete: false,
    settlesIn: 10,
  },
  {
    name: 'a workflow waits, and has no runs yet',
    given: { suites: [passed, suite('push', [], { status: 'QUEUED', conclusion: null })], expected: ['test'] },
    complete: false,
    settlesIn: null,
  },
  {
    name: 'not all runs were read',
    given: { suites: [passed], expected: ['test'], isCut: true },
    complete: false,
    settlesIn: null,
  },
  {
    name: 'an App stays silent',
    given: { suites: [passed, suite(null, [], { status: 'QUEUED' })] },
    complete: true,
    settlesIn: null,
  },
])('complete is $complete if $name', ({ given, complete, settlesIn }) => {
  const settlesAt = settlesIn === null ? null : now + settlesIn * 1000;
  expect(read(given)).toMatchObject({ complete, settlesAt });
});

test.each([
  { name: 'a first one', states: ['pending', 'success'], attempt: 1 },
  { name: 'one that is pending after its end', states: ['pending', 'failure', 'pending'], attempt: 2 },
  { name: 'one that has ended twice', states: ['pending', 'failure', 'pending', 'success'], attempt: 2 },
  { name: 'another end without a beginning', states: ['failure', 'success'], attempt: 2 },
  { name: 'the same end reported twice', states: ['success', 'success'], attempt: 1 },
  { name: 'reported progress', states: ['pending', 'pending', 'success'], attempt: 1 },
  { name: 'no history', states: [], attempt: 1 },
])('the attempt of a status: $name', ({ states, attempt }) => {
  const history = states.flatMap((state) => [
    { context: 'ci', state },
    { context: 'other', state: 'failure' },
  ]);
  const report = read({ statuses: [status('ci', (states.at(-1) ?? 'success').toUpperCase())], history });
  expect(report.checks.map((check) => check.attempt)).toEqual([attempt]);
});
