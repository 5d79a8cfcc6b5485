import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, type BranchRules, decideRefChange, type RefChange } from '../../github-emulator/rules/decide.ts';
import type { BypassActor, Protection, Rule, Ruleset } from '../../github-emulator/rules/model.ts';
import { matchesPattern, matchesRefName } from '../../github-emulator/rules/patterns.ts';
import { describeMissingChecks } from '../../github-emulator/rules/required-checks.ts';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

const writer: Actor = { kind: 'user', name: 'ann', appId: null, role: 'write', teams: [], organizationOwner: false };
const admin: Actor = { ...writer, name: 'root', role: 'admin', organizationOwner: true };
const app: Actor = { ...writer, kind: 'app', name: 'queue', appId: 7 };

const plainPush: RefChange = {
  ref: 'refs/heads/main',
  from: 'a'.repeat(40),
  to: 'b'.repeat(40),
  fastForward: true,
  newCommits: [{ sha: 'b'.repeat(40), parents: 1, verified: false }],
  checks: [{ name: 'ci', appId: 3, state: 'success' }],
  pullRequest: null,
};
const merge: RefChange = {
  ...plainPush,
  pullRequest: {
    approvals: 1,
    changesRequested: false,
    codeOwnerMissing: false,
    unresolvedThreads: 0,
    lastPushApproved: true,
    upToDate: true,
    method: 'squash',
  },
};

function protection(given: Partial<Protection>): BranchRules {
  const none: Protection = {
    id: 1,
    pattern: 'main',
    requiredChecks: null,
    requiredReviews: null,
    restrictions: null,
    enforceAdmins: false,
    linearHistory: false,
    signatures: false,
    forcePushes: false,
    deletions: false,
    blockCreations: false,
    conversationResolution: false,
    lockBranch: false,
    deployments: [],
  };
  return { defaultBranch: 'main', protections: [{ ...none, ...given }], rulesets: [] };
}

function ruleset(rule: Rule, bypassActors: BypassActor[] = []): BranchRules {
  const row: Ruleset = {
    id: 1,
    name: 'main',
    target: 'branch',
    enforcement: 'active',
    bypassActors,
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [rule],
    createdAt: 0,
    updatedAt: 0,
  };
  return { defaultBranch: 'main', protections: [], rulesets: [row] };
}

const nobody = { users: [], teams: [], apps: [] };
const checks = { strict: false, checks: [{ context: 'ci', appId: null }] };
const pinned = { strict: false, checks: [{ context: 'ci', appId: 4 }] };
const reviews = { approvals: 1, dismissStale: false, codeOwners: false, lastPush: false, bypass: nobody };
const failing = { ...plainPush, checks: [{ name: 'ci', appId: 3, state: 'failing' as const }] };
const forced = { ...plainPush, fastForward: false };
const deleted = { ...plainPush, to: null };
const merging = { ...plainPush, newCommits: [{ sha: 'c'.repeat(40), parents: 2, verified: true }] };
const throughPull: Rule = {
  type: 'pull_request',
  parameters: {
    required_approving_review_count: 1,
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_review_thread_resolution: false,
  },
};
const bypass = (mode: BypassActor['bypass_mode']): BypassActor[] => [
  { actor_id: 7, actor_type: 'Integration', bypass_mode: mode },
];

it.each<[string, BranchRules, Actor, RefChange, string | null]>([
  [
    'without rules everything is allowed',
    { defaultBranch: 'main', protections: [], rulesets: [] },
    writer,
    forced,
    null,
  ],
  [
    'a push is allowed if its required check has passed',
    protection({ requiredChecks: checks }),
    writer,
    plainPush,
    null,
  ],
  [
    'a push is refused if its required check fails',
    protection({ requiredChecks: checks }),
    writer,
    failing,
    'Required status check "ci" is failing.',
  ],
  [
    'required checks bind an App too',
    protection({ requiredChecks: checks }),
    app,
    failing,
    'Required status check "ci" is failing.',
  ],
  ['required checks do not bind an administrator', protection({ requiredChecks: checks }), admin, failing, null],
  [
    'required checks bind an administrator if the protection has enforce_admins',
    protection({ requiredChecks: checks, enforceAdmins: true }),
    admin,
    failing,
    'Required status check "ci" is failing.',
  ],
  [
    'a check does not count if another App than the required one reported it',
    protection({ requiredChecks: pinned }),
    app,
    plainPush,
    'Required status check "ci" is expected.',
  ],
  [
    'a direct push is refused if reviews are required',
    protection({ requiredReviews: reviews }),
    app,
    plainPush,
    'Changes must be made through a pull request.',
  ],
  [
    'a direct push is allowed if the App may bypass the reviews',
    protection({ requiredReviews: { ...reviews, bypass: { ...nobody, apps: ['queue'] } } }),
    app,
    plainPush,
    null,
  ],
  [
    'an approved pull request may be merged if reviews are required',
    protection({ requiredReviews: reviews }),
    writer,
    merge,
    null,
  ],
  [
    'only the named users and Apps may push',
    protection({ restrictions: { ...nobody, users: ['bob'] } }),
    writer,
    plainPush,
    "You're not authorized to push to this branch.",
  ],
  [
    'a protected branch refuses a force push, also of an administrator',
    protection({}),
    admin,
    forced,
    'Cannot force-push to this branch',
  ],
  [
    'a protected branch refuses a deletion, also by an administrator',
    protection({}),
    admin,
    deleted,
    'Cannot delete this branch',
  ],
  [
    'a branch with linear history refuses a merge commit',
    protection({ linearHistory: true }),
    writer,
    merging,
    'This branch must not contain merge commits.',
  ],
  [
    'a branch with required signatures refuses an unsigned commit',
    protection({ signatures: true }),
    writer,
    plainPush,
    'Commits must have verified signatures.',
  ],
  [
    "a branch with GitHub's own merge queue refuses a direct push",
    ruleset({ type: 'merge_queue', parameters: {} }),
    app,
    plainPush,
    'Changes must be made through the merge queue',
  ],
  [
    "an App with bypass `always` may push to a branch with GitHub's merge queue",
    ruleset({ type: 'merge_queue', parameters: {} }, bypass('always')),
    app,
    plainPush,
    null,
  ],
  [
    "an App with bypass `exempt` may push to a branch with GitHub's merge queue",
    ruleset({ type: 'merge_queue', parameters: {} }, bypass('exempt')),
    app,
    plainPush,
    null,
  ],
  [
    'an App with bypass `pull_request` may not push directly',
    ruleset(throughPull, bypass('pull_request')),
    app,
    plainPush,
    'Changes must be made through a pull request.',
  ],
  [
    'a ruleset with the rule `update` refuses a push',
    ruleset({ type: 'update' }),
    admin,
    plainPush,
    'Cannot update this protected ref.',
  ],
  ['a ruleset binds administrators', ruleset({ type: 'deletion' }), admin, deleted, 'Cannot delete this branch'],
])('%s', (_name, rules, actor, change, sentence) => {
  const decision = decideRefChange(rules, actor, change);
  const said = decision.kind === 'refused' ? decision.violations.map((each) => each.split('\n')[0]) : [];
  expect(said).toEqual(sentence === null ? [] : [sentence]);
});

it.each([
  ['main', 'main', true],
  ['release/*', 'release/1', true],
  ['release/*', 'release/1/x', false],
  ['**/x', 'a/b/x', true],
  ['mq-?', 'mq-1', true],
  ['[!a]*', 'abc', false],
])('the pattern %s matches the branch %s: %s', (pattern, name, isMatch) => {
  expect(matchesPattern(pattern, name)).toBe(isMatch);
});

it('`~DEFAULT_BRANCH` matches the default branch, and excluded refs do not match', () => {
  const condition = { include: ['~DEFAULT_BRANCH', 'refs/heads/mq-*'], exclude: ['refs/heads/mq-tmp-*'] };
  const refs = ['refs/heads/main', 'refs/heads/mq-1', 'refs/heads/mq-tmp-1', 'refs/heads/other'];
  expect(refs.map((ref) => matchesRefName(condition, ref, 'main'))).toEqual([true, true, false, false]);
});

it('the message of GitHub counts the required checks that have not succeeded', () => {
  const required = ['a', 'b', 'c'].map((context) => ({ context, appId: null }));
  const results = [
    { name: 'a', appId: 1, state: 'failing' as const },
    { name: 'b', appId: 1, state: 'pending' as const },
  ];
  expect(describeMissingChecks(required, results)).toBe(
    '3 of 3 required status checks have not succeeded: 1 expected, 1 in progress and 1 failing.',
  );
});

describe('in the emulator', () => {
  let w: EmulatorWorld;
  beforeAll(async () => {
    w = await emulatorWorld();
    await w.bot.checks.create({ ...w.place, name: 'ci', head_sha: await w.clone.git('rev-parse', 'HEAD') });
  });
  afterEach(() => w.expectNoMistakes());
  afterAll(async () => await w[Symbol.asyncDispose]());

  async function protect(branch: string, enforce_admins: boolean): Promise<void> {
    await w.person.repos.updateBranchProtection({
      ...w.place,
      branch,
      required_status_checks: { strict: false, contexts: ['ci'] },
      enforce_admins,
      required_pull_request_reviews: null,
      restrictions: null,
    });
  }

  it('a push is refused with the message of GitHub until its commit has the check', async () => {
    await w.clone.push('guarded', { 'g.txt': '1\n' });
    await protect('guarded', true);
    await w.clone.git('commit', '--quiet', '--allow-empty', '--message', 'Next');
    const sha = await w.clone.git('rev-parse', 'HEAD');
    const refused = await w.clone.tryGit('push', 'origin', 'HEAD:guarded');
    expect(refused.exitCode).toBe(1);
    expect(refused.output).toContain('GH006: Protected branch update failed for refs/heads/guarded.');
    expect(refused.output).toContain('Required status check "ci" is expected.');
    expect(refused.output).toContain('protected branch hook declined');
    // Push the commit to another branch first, so that CI can report its check. Then the protected branch accepts the
    // commit.
    await w.clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/mq-1');
    await w.bot.checks.create({ ...w.place, name: 'ci', head_sha: sha, conclusion: 'success' });
    expect((await w.clone.tryGit('push', 'origin', 'HEAD:guarded')).exitCode).toBe(0);
  });

  it('an atomic push is refused as a whole if one branch refuses it', async () => {
    await w.clone.push('guarded-2', { 'h.txt': '1\n' });
    await protect('guarded-2', true);
    await w.clone.git('commit', '--quiet', '--allow-empty', '--message', 'Next');
    const { output } = await w.clone.tryGit('push', '--atomic', 'origin', 'HEAD:guarded-2', 'HEAD:refs/heads/beside');
    expect(output).toContain('GH006');
    expect(await w.clone.git('ls-remote', 'origin', 'refs/heads/beside')).toBe('');
  });

  it('a merge and a deletion through the API are refused too', async () => {
    await w.clone.push('base', { 'base.txt': '1\n' });
    await protect('base', true);
    await w.clone.push('feature', { 'f.txt': 'f\n' }, 'origin/base');
    const { data } = await w.person.pulls.create({ ...w.place, title: 'f', head: 'feature', base: 'base' });
    await expect(w.person.pulls.merge({ ...w.place, pull_number: data.number })).rejects.toMatchObject({
      status: 405,
      message: expect.stringContaining('Required status check "ci" is expected.') as string,
    });
    await expect(w.person.git.deleteRef({ ...w.place, ref: 'heads/base' })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('Cannot delete this branch') as string,
    });
  });

  it('the rules of a branch are listed; only administrators see bypass actors, and a bypass actor may push but not delete the ruleset', async () => {
    await w.clone.push('ruled', { 'r.txt': '1\n' });
    const { data } = await w.person.repos.createRepoRuleset({
      ...w.place,
      name: 'through the queue',
      enforcement: 'active',
      target: 'branch',
      conditions: { ref_name: { include: ['refs/heads/ruled'], exclude: [] } },
      rules: [
        { type: 'required_linear_history' },
        { type: 'pull_request', parameters: throughPull.parameters as never },
      ],
      bypass_actors: [{ actor_id: Number(w.emulator.appId), actor_type: 'Integration', bypass_mode: 'always' }],
    });
    const rules = await w.bot.repos.getBranchRules({ ...w.place, branch: 'ruled' });
    expect(rules.data.map(({ type }) => type)).toEqual(['required_linear_history', 'pull_request']);
    const seen = await w.bot.repos.getRepoRuleset({ ...w.place, ruleset_id: data.id });
    expect(seen.data).toMatchObject({ current_user_can_bypass: 'always' });
    expect(seen.data).not.toHaveProperty('bypass_actors');
    await w.clone.git('commit', '--quiet', '--allow-empty', '--message', 'Next');
    const refused = await w.clone.tryGit('push', 'origin', 'HEAD:ruled');
    expect(refused.output).toContain('GH013: Repository rule violations found for refs/heads/ruled.');
    expect(refused.output).toContain('Changes must be made through a pull request.');
    const { data: token } = await w.app.apps.createInstallationAccessToken({
      installation_id: Number(w.emulator.installationId),
    });
    const bot = await w.cloneAs(token.token);
    await bot.git('checkout', '--quiet', '-B', 'ruled', 'origin/ruled');
    await bot.git('commit', '--quiet', '--allow-empty', '--message', 'By the App');
    expect((await bot.tryGit('push', 'origin', 'ruled')).exitCode).toBe(0);
    await expect(w.bot.repos.deleteRepoRuleset({ ...w.place, ruleset_id: data.id })).rejects.toMatchObject({
      status: 403,
    });
  });
});
