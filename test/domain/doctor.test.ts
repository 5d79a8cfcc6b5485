// What the results of the probes of `npm run doctor` mean, and what to do about missing things.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { botBranchSnippet, judgeBotChecks } from '../../src/domain/doctor/bot-checks.ts';
import { type Finding, joinNames } from '../../src/domain/doctor/finding.ts';
import { appEvents, appPermissions } from '../../src/hosts/github/app.ts';
import {
  judgeBudget,
  judgeClock,
  judgeDeliveries,
  judgeEvents,
  judgeRefusingRules,
  judgePermissions,
  judgePushes,
  judgeRepository,
  judgeServer,
  type AppGrants,
  type PushProbe,
} from '../../src/hosts/github/doctor/probes.ts';
import { judgeWorkflowFiles, runsOnPushTo } from '../../src/hosts/github/doctor/workflow-files.ts';
import { parseCiFile } from '../../src/hosts/local/ci-file.ts';
import { judgeCiFile } from '../../src/hosts/local/examine.ts';
import { projectRoot } from '../../src/platform/project-root.ts';

/** Expects the state, and each text in the message or in the text about what to do. */
function expectFinding(found: Finding | undefined, state: Finding['state'], ...texts: readonly string[]): void {
  expect(found?.state).toBe(state);
  for (const text of texts) expect(`${found?.message ?? ''}\n${found?.cure ?? ''}`).toContain(text);
}

const at = Date.UTC(2026, 0, 1);

test.each([
  ['the same', 0, 'ok', 'agrees'],
  ['9 s ahead', 9_000, 'ok', 'agrees'],
  ['12 s behind', -12_000, 'warning', 'The clock is 12 s behind GitHub.'],
  [
    '97 s ahead',
    97_400,
    'missing',
    'The clock is 97 s ahead of GitHub.\nInterlock goes by the clock of PostgreSQL: set the clock of its machine by NTP.',
  ],
] as const)('a clock that is %s', (_name, off, state, text) => expectFinding(judgeClock(at + off, at), state, text));

test('a server of GitHub that does not give its time is a warning', () =>
  expectFinding(judgeClock(at, null), 'warning', 'did not say'));

test.each([
  [null, 'ok'],
  ['3.18.2', 'ok'],
  ['4.0.0', 'ok'],
  ['3.17.9', 'missing'],
] as const)('a server of version %s', (version, state) =>
  expectFinding(judgeServer('https://github.test', version), state),
);

describe('permissions', () => {
  const granted: AppGrants = {
    ofApp: appPermissions,
    ofInstallation: appPermissions,
    events: appEvents,
    isSuspended: false,
    installationUrl: 'https://github.com/organizations/acme/settings/installations/7',
    appUrl: 'https://github.com/organizations/acme/settings/apps/interlock',
  };
  const without = (name: string) =>
    Object.fromEntries(Object.entries(appPermissions).filter(([each]) => each !== name));

  test.each<readonly [string, Partial<AppGrants>, Finding['state'], readonly string[]]>([
    ['all', {}, 'ok', []],
    ['more than needed', { ofInstallation: { ...appPermissions, statuses: 'write', pages: 'admin' } }, 'ok', []],
    [
      'one that the App requests and nobody has accepted',
      { ofInstallation: without('checks') },
      'missing',
      ['lacks checks: write.', `Accept these permissions: ${granted.installationUrl}`],
    ],
    [
      'a lower level, which the App does not request either',
      {
        ofApp: { ...appPermissions, contents: 'read' },
        ofInstallation: { ...without('actions'), contents: 'read' },
      },
      'missing',
      ['lacks contents: write and actions: write.', `Add these permissions to the App: ${granted.appUrl}/permissions.`],
    ],
    ['none for members', { ofInstallation: without('members') }, 'warning', ['members: read']],
    ['a suspended installation', { isSuspended: true }, 'missing', ['suspended', granted.installationUrl]],
  ])('%s', (_name, changes, state, texts) =>
    expectFinding(judgePermissions({ ...granted, ...changes }), state, ...texts),
  );

  test('events that the App does not receive', () => {
    expectFinding(judgeEvents(granted), 'ok');
    const events = appEvents.filter((name) => name !== 'push' && name !== 'status');
    expectFinding(judgeEvents({ ...granted, events }), 'warning', 'push and status', `${granted.appUrl}/permissions`);
  });
});

test.each([
  [
    'the same name',
    { fullName: 'Acme/shop', isArchived: false, url: 'https://github.com/acme/shop' },
    'ok',
    'The App sees Acme/shop.',
  ],
  [
    'another name',
    { fullName: 'acme/store', isArchived: false, url: 'https://github.com/acme/store' },
    'warning',
    'acme/shop is named acme/store at GitHub.',
  ],
  [
    'an archive',
    { fullName: 'acme/shop', isArchived: true, url: 'https://github.com/acme/shop' },
    'missing',
    'Unarchive the repository',
  ],
] as const)('a repository of %s', (_name, answer, state, text) =>
  expectFinding(judgeRepository('acme/shop', answer), state, text),
);

describe('webhooks', () => {
  const url = 'https://interlock.example/github/webhooks/1';
  const settings = { appUrl: 'https://github.com/settings/apps/interlock', isSecure: true };
  const delivery = (minute: number, statusCode: number, status = 'OK') => ({
    deliveredAt: new Date(at + minute * 60_000).toISOString(),
    statusCode,
    status,
  });

  test.each<readonly [string, string | null, ReturnType<typeof delivery>[], Finding['state'], string]>([
    ['no address', null, [], 'missing', `Set the address: ${settings.appUrl}`],
    ['none yet', url, [], 'warning', 'Push a commit'],
    ['all arrived', url, [delivery(1, 202), delivery(2, 200)], 'ok', 'The newest 2 webhooks arrived'],
    [
      'one was lost before',
      url,
      [delivery(1, 502, 'Bad Gateway'), delivery(2, 202)],
      'warning',
      '1 of the newest 2 failed, the last with 502 (Bad Gateway)',
    ],
    [
      'the newest was lost',
      url,
      [delivery(2, 502, 'failed to connect to host'), delivery(1, 202)],
      'missing',
      `GitHub got 502 (failed to connect to host) from ${url}.`,
    ],
    [
      'a wrong secret',
      url,
      [delivery(1, 401)],
      'missing',
      'The webhook secret at GitHub differs from the secret that Interlock has.',
    ],
    ['a wrong address', url, [delivery(1, 404)], 'missing', 'No App of Interlock has this address.'],
  ])('%s', (_name, address, deliveries, state, text) =>
    expectFinding(judgeDeliveries(address, deliveries, settings), state, text),
  );

  test('without a check of the certificate', () =>
    expectFinding(
      judgeDeliveries(url, [delivery(1, 202)], { ...settings, isSecure: false }),
      'warning',
      'does not check the certificate',
    ));
});

test.each([
  [
    'many points',
    4_000,
    null,
    'ok',
    '4000 of 5000 points of REST and 5000 of 5000 points of GraphQL are left this hour.',
  ],
  ['few points', 900, null, 'warning', 'batch pull requests'],
  ['a pause', 4_000, at, 'warning', 'a pause until 2026-01-01T00:00:00.000Z'],
] as const)('a budget with %s', (_name, left, pausedUntil, state, text) =>
  expectFinding(
    judgeBudget({ rest: { limit: 5_000, left }, graphql: { limit: 5_000, left: 5_000 } }, pausedUntil),
    state,
    text,
  ),
);

test('each rule of a branch that refuses landings is a finding, and an uncertain one is a warning', () => {
  const rule = { message: 'The rule refuses.', cure: 'Add interlock.' };
  const both = [
    { ...rule, isCertain: true },
    { ...rule, isCertain: false },
  ];
  const found = judgeRefusingRules('main', both, { requiresChecks: true });
  expect(found.map(({ state }) => state)).toEqual(['missing', 'warning']);
  expectFinding(
    judgeRefusingRules('main', [], { requiresChecks: false })[0],
    'ok',
    'No rule of main refuses landings.',
  );
  expectFinding(judgeRefusingRules('main', [], { requiresChecks: true })[0], 'ok', 'builds each commit');
});

describe('pushes', () => {
  const done: PushProbe = { both: 'moved', branchAlone: null, refAlone: null, holdsLeases: true, left: [] };
  const refused = { refusal: 'GH013: Repository rule violations found' };
  const at = { rulesUrl: 'https://github.com/acme/shop/settings/rules', app: 'interlock' };

  test.each<readonly [string, Partial<PushProbe>, Finding['state'], readonly string[]]>([
    ['moved and deleted', {}, 'ok', []],
    [
      'refused for branches',
      { both: refused, branchAlone: refused, refAlone: 'moved' },
      'missing',
      ['GH013', at.rulesUrl, 'Add interlock to the bypass list'],
    ],
    [
      'refused for refs',
      { both: refused, branchAlone: 'moved', refAlone: refused },
      'missing',
      ['refuses refs below refs/interlock: GH013'],
    ],
    ['refused only together', { both: refused, branchAlone: 'moved', refAlone: 'moved' }, 'missing', ['atomic push']],
    ['that ignore the expected value', { holdsLeases: false }, 'missing', ['although its expected value was wrong']],
    ['that are not deleted', { left: ['refs/heads/mq-tmp-probe-1'] }, 'missing', ['delete refs/heads/mq-tmp-probe-1']],
  ])('%s', (_name, changes, state, texts) => expectFinding(judgePushes({ ...done, ...changes }, at), state, ...texts));
});

describe('workflows that run on bot branches', () => {
  test.each([
    ['on: push', true],
    ['on: [pull_request, push]', true],
    ['on: [pull_request]', false],
    ['on:\n  push:\n', true],
    ['on:\n  push:\n    branches: [main]\n', false],
    ["on:\n  push:\n    branches: ['mq-bot-**']\n", true],
    ["on:\n  push:\n    branches: ['mq-bot-*']\n", true],
    ["on:\n  push:\n    branches: ['**', '!mq-*']\n", false],
    ["on:\n  push:\n    branches: ['!mq-*', '**']\n", true],
    ['on:\n  push:\n    branches: mq-bot-1\n', true],
    ["on:\n  push:\n    branches-ignore: ['mq-**']\n", false],
    ['on:\n  push:\n    branches-ignore: [main]\n', true],
    ['on:\n  push:\n    tags: [v*]\n', false],
    ["on:\n  push:\n    branches: ['[']\n", false],
    ['on: [push', false],
    ['on: push\njobs: {a: {}, a: {}}', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(runsOnPushTo('mq-bot-1', text)).toBe(expected);
  });

  test('one file that runs is enough, and without one the finding has the snippet', () => {
    const files = [
      { path: 'a.yml', text: 'on: pull_request' },
      { path: 'b.yml', text: 'on: push' },
    ];
    expectFinding(judgeWorkflowFiles(files, 'main'), 'ok', 'b.yml');
    expectFinding(judgeWorkflowFiles(files.slice(0, 1), 'main'), 'missing', botBranchSnippet);
    expectFinding(judgeWorkflowFiles([], 'main'), 'warning', 'Another CI');
    expect(runsOnPushTo('mq-bot-1', botBranchSnippet)).toBe(true);
  });

  test('the snippet is that of docs/github.md', () => {
    expect(readFileSync(join(projectRoot, 'docs/github.md'), 'utf8')).toContain(botBranchSnippet);
  });
});

describe('checks on bot branches', () => {
  const commit = (...checks: readonly (readonly [string, 'success' | 'failure' | 'skipped'])[]) => ({
    commit: 'c'.repeat(40),
    checks: checks.map(([name, conclusion]) => ({ name, conclusion })),
  });

  test.each<readonly [string, readonly string[], ReturnType<typeof commit>[], Finding['state'], string]>([
    ['nothing validated yet', ['test'], [], 'warning', 'No bot branch was validated yet'],
    ['no check', [], [commit()], 'missing', 'No check has run'],
    [
      'one that never ran',
      ['test', 'lint'],
      [commit(['test', 'success'])],
      'missing',
      'The required check lint did not run',
    ],
    [
      'two that never ran',
      ['test', 'lint', 'e2e'],
      [commit(['test', 'success'])],
      'missing',
      'The required checks lint and e2e did not run',
    ],
    [
      'one that is only skipped',
      ['test'],
      [commit(['test', 'skipped']), commit(['test', 'skipped'])],
      'warning',
      'test was only skipped',
    ],
    ['one that was skipped once', ['test'], [commit(['test', 'skipped']), commit(['test', 'failure'])], 'ok', 'test'],
    ['one of an older commit', ['lint'], [commit(['test', 'success']), commit(['lint', 'success'])], 'ok', 'lint'],
    ['none required, two skipped', [], [commit(['a', 'skipped'], ['b', 'skipped'])], 'warning', 'a and b were only'],
    ['none required', [], [commit(['a', 'success'])], 'ok', 'Checks run on bot branches: a.'],
  ])('%s', (_name, required, commits, state, text) =>
    expectFinding(judgeBotChecks({ isBuilt: true, required, commits, cure: 'Do it.' }), state, text),
  );

  test('in a mode without bot branches', () =>
    expectFinding(
      judgeBotChecks({ isBuilt: false, required: ['test'], commits: [], cure: 'Do it.' }),
      'ok',
      'No bot branches are built',
    ));
});

test.each([
  ['no file', null, [], 'warning', 'main has no checks'],
  ['a broken file', 'checks: [', [], 'missing', 'cannot be read'],
  ['a required check that is missing', 'checks: {test: {run: make}}', ['lint'], 'missing', 'has no check lint'],
  ['a program that is missing', 'checks: {test: {run: "A=1 mvn test"}}', [], 'warning', 'mvn (check test)'],
  [
    'a program after several variables',
    'checks: {test: {run: "A=1\\nB=$A mvn test"}}',
    [],
    'warning',
    'mvn (check test)',
  ],
  ['a variable with the output of a program', 'checks: {test: {run: "V=$(git mvn)\\nmake"}}', [], 'ok', 'runs test.'],
  ['checks', 'checks: {test: {run: make test}, lint: {run: ./lint}}', ['test'], 'ok', 'runs test and lint.'],
] as const)('the CI file: %s', (_name, text, requiredChecks, state, told) =>
  expectFinding(
    judgeCiFile(parseCiFile(text), { branch: 'main', requiredChecks, hasProgram: (name) => name !== 'mvn' }),
    state,
    told,
  ),
);

test('names are joinNames as in a sentence', () => {
  expect([joinNames([]), joinNames(['a']), joinNames(['a', 'b']), joinNames(['a', 'b', 'c'])]).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
});
