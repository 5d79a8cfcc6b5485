// `npm run doctor` at an emulator of GitHub: a healthy repository, and repositories that each lack something.
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/domain/doctor/finding.ts';
import { examineRepository } from '../../../src/modules/queue/index.ts';
import {
  changeActivity,
  findRepository,
  freezeBranches,
  pauseBranches,
  replaceConfiguration,
  unfreezeBranches,
} from '../../../src/modules/repositories/index.ts';
import { configurationYaml, parallel } from '../../support/world.ts';
import { appWorld, type AppWorld } from './app-world.ts';
import { workflow } from './queue-world.ts';

let w: AppWorld;
let person: Octokit;
const place = { owner: 'acme', repo: 'shop' };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
let head = '';

beforeAll(async () => {
  w = await appWorld();
  person = new Octokit({ baseUrl: w.emulator.apiUrl, auth: w.emulator.token, log: silent });
  const made = await w.emulator.addRepository('shop', { files: { '.github/workflows/ci.yml': workflow } });
  head = made.head;
  await w.addFirstApp();
  await w.activate('shop');
  // In other modes there are no bot branches.
  await replaceConfiguration(w.ctx, {
    repository: { owner: 'acme', name: 'shop' },
    yaml: configurationYaml(parallel()),
  });
  await push();
});
afterAll(async () => await w.close());

/** Makes a push, so that a webhook arrives. */
async function push(): Promise<void> {
  await person.git.createRef({ ...place, ref: `refs/heads/push-${Date.now()}`, sha: head });
  await w.emulator.core.settled();
}

async function examine(): Promise<Finding[]> {
  const repository = await findRepository(w.ctx, { owner: 'acme', name: 'shop' });
  if (repository === null) throw new Error('The repository is not listed.');
  const findings: Finding[] = [];
  await examineRepository(w.ctx, repository, (finding) => void findings.push(finding));
  return findings;
}

/** The findings that are not ok: probe, state, message and what to do. */
async function problems(): Promise<readonly string[]> {
  const findings = await examine();
  const wrong = findings.filter(({ state }) => state !== 'ok');
  return wrong.map(({ probe, state, message, cure }) => `${state} ${probe}: ${message} ${cure ?? ''}`);
}

async function refNames(): Promise<readonly string[]> {
  const { data: own } = await person.git.listMatchingRefs({ ...place, ref: 'interlock/' });
  const { data: branches } = await person.git.listMatchingRefs({ ...place, ref: 'heads/mq-' });
  return [...own, ...branches].map(({ ref }) => ref);
}

test('a healthy repository passes every probe, and the doctor removes only its own refs', async () => {
  const now = Date.now();
  // A branch of a killed doctor, a branch that another doctor tries now, and a branch of a workflow.
  const [left, tried, run] = ['mq-tmp-probe-1000', `mq-tmp-probe-${now}`, 'mq-tmp-run-1000'];
  for (const branch of [left, tried, run])
    await person.git.createRef({ ...place, ref: `refs/heads/${branch}`, sha: head });
  await w.emulator.core.settled();
  expect((await examine()).map(({ probe, state }) => `${state} ${probe}`)).toEqual([
    'ok server',
    'ok clock',
    'ok permissions',
    'ok events',
    'ok webhooks',
    'ok repository',
    'ok pushes',
    'ok rules of main',
    'ok workflows',
    'ok budget',
    'ok configuration for main',
    'warning checks',
  ]);
  expect(await refNames()).toEqual([`refs/heads/${tried}`, `refs/heads/${run}`]);
  for (const branch of [tried, run]) await person.git.deleteRef({ ...place, ref: `heads/${branch}` });
});

test('before a repository is activated, the doctor reads the configuration in its file', async () => {
  const file = async (text: string): Promise<void> => {
    const { data } = await person.repos
      .getContent({ ...place, path: '.service/config.yml' })
      .catch(() => ({ data: {} }));
    await person.repos.createOrUpdateFileContents({
      ...place,
      path: '.service/config.yml',
      message: 'Configure',
      content: Buffer.from(text).toString('base64'),
      ...('sha' in data && { sha: data.sha }),
    });
  };
  const { id } = (await findRepository(w.ctx, { owner: 'acme', name: 'shop' })) ?? { id: '' };
  await changeActivity(w.ctx, id, false);
  // The stored configuration has bot branches.
  await file(configurationYaml('merge_mode: {type: default}\n'));
  const checks = async () => (await examine()).find(({ probe }) => probe === 'checks')?.message;
  expect(await checks()).toMatch(/^No bot branches are built/);
  await file('merge_rules: {merge_mode: {type: sideways}}\n');
  expect((await problems()).join('\n')).toContain('missing configuration: .service/config.yml is refused: ');
  await w.activate('shop');
  expect(await checks()).toMatch(/^No bot branch was validated yet/);
});

test('a base branch that is paused by a rule or frozen is to be looked at', async () => {
  const repository = { owner: 'acme', name: 'shop' };
  const uses = async (): Promise<readonly string[]> => (await problems()).filter((text) => text.includes(' use'));
  expect(await uses()).toEqual([]);
  const pause = { repository, pattern: 'ma*', pausedMessage: 'release day' };
  await pauseBranches(w.ctx, { ...pause, paused: true });
  await freezeBranches(w.ctx, { repository, baseBranches: 'main', reason: 'stock-taking' });
  expect(await uses()).toEqual([
    'warning use of main: main is paused by the rule ma*: release day. Unpause it by pauseBranches.',
    expect.stringMatching(
      /^warning use of main: main is frozen until somebody ends it, by .+: stock-taking. Wait for the end of the freeze. End it by unfreezeBranches.$/,
    ),
  ]);
  await pauseBranches(w.ctx, { ...pause, paused: false });
  await unfreezeBranches(w.ctx, { repository, baseBranches: 'main' });
  expect(await uses()).toEqual([]);
});

describe('missing:', () => {
  const rulesets: number[] = [];
  async function rule(type: string, include: string): Promise<void> {
    const { data } = await person.repos.createRepoRuleset({
      ...place,
      name: type,
      target: 'branch',
      enforcement: 'active',
      conditions: { ref_name: { include: [include], exclude: [] } },
      rules: [{ type } as { type: 'creation' }],
    });
    rulesets.push(data.id);
  }
  const strategy = async (name: string) =>
    await replaceConfiguration(w.ctx, {
      repository: { owner: 'acme', name: 'shop' },
      yaml: configurationYaml(`merge_strategy:\n  name: ${name}\n`),
    });
  const installation = () => w.emulator.core.state.installations.all()[0]!;

  const cases: readonly {
    readonly name: string;
    readonly spoil: () => Promise<void>;
    readonly mend: () => Promise<void>;
    readonly found: readonly string[];
  }[] = [
    {
      name: 'a permission, the right time, webhooks, bypasses, and a strategy that the rules permit',
      spoil: async () => {
        const { checks: _checks, ...rest } = installation().permissions;
        w.emulator.controls.permit(installation().id, rest);
        w.emulator.setWebhookUrl('http://127.0.0.1:9/github/webhooks/x');
        await strategy('merge');
        await rule('update', 'refs/heads/main');
        await rule('required_linear_history', 'refs/heads/main');
        await rule('creation', 'refs/heads/mq-*');
        await push();
        // The clock is two minutes ahead.
        w.later(2);
      },
      mend: async () => {
        w.later(-2);
        w.emulator.controls.permit(installation().id, { ...installation().permissions, checks: 'write' });
        w.emulator.setWebhookUrl(`${w.url}/github/webhooks/${await w.webhookPath()}`);
        await strategy('squash');
      },
      found: [
        'missing clock: The clock is 12',
        'missing permissions: The App lacks checks: write. Accept these permissions: http',
        'missing webhooks: GitHub got 502 (failed to connect to host) from http://127.0.0.1:9/github/webhooks/x. Start Interlock',
        'missing pushes: GitHub refuses branches of Interlock: ',
        'Add interlock to the bypass list of the rulesets that apply to mq-* branches: http',
        'missing rules of main: The rule "Restrict updates" of the ruleset update refuses landings on main. Add interlock to the bypass list of the ruleset update, mode always. http',
        'missing configuration for main: The code host takes no merge commits on main, and merge_strategy.name is merge. Set merge_strategy.name to squash or rebase',
      ],
    },
    {
      name: 'deletions of bot branches, and points',
      spoil: async () => {
        await rule('deletion', 'refs/heads/mq-*');
        w.emulator.controls.limits({ graphqlPerHour: 0 });
      },
      mend: async () => await w.emulator.controls.clear(),
      found: ['missing pushes: GitHub does not let the App delete refs/heads/mq-tmp-probe-', 'warning budget: '],
    },
    {
      name: 'writing at all',
      spoil: async () => void (await person.repos.update({ ...place, archived: true })),
      mend: async () => void (await person.repos.update({ ...place, archived: false })),
      found: ['missing repository: acme/shop is archived at GitHub. Unarchive the repository: ', 'missing pushes: '],
    },
    {
      name: 'an answer of GitHub',
      spoil: async () => await Promise.resolve(w.emulator.controls.fail({ operation: 'GET /app' })),
      mend: async () => await w.emulator.controls.clear(),
      found: ['missing App: http'],
    },
    {
      name: 'the right key',
      spoil: async () =>
        await Promise.resolve(
          w.emulator.controls.fail({ operation: 'GET /app', status: 401, body: { message: 'Bad credentials' } }),
        ),
      mend: async () => await w.emulator.controls.clear(),
      found: ['missing App: GitHub does not accept the key of the App interlock: Bad credentials'],
    },
    {
      name: 'the installation',
      spoil: async () => await Promise.resolve(w.emulator.controls.suspend(installation().id, true)),
      mend: async () => await Promise.resolve(w.emulator.controls.suspend(installation().id, false)),
      found: ['missing permissions: The installation of the App is suspended. Lift the suspension: http'],
    },
  ];

  test.each(cases)('$name', async ({ spoil, mend, found }) => {
    await spoil();
    const told = (await problems()).join('\n');
    for (const id of rulesets.splice(0)) await person.repos.deleteRepoRuleset({ ...place, ruleset_id: id });
    await mend();
    for (const text of found) expect(told).toContain(text);
    expect(w.emulator.core.mistakes).toEqual([]);
  });
});
