import { describe, expect, it } from 'vitest';
import {
  isManagedBranch,
  isMergedByHost,
  numberOfApprovals,
  toQueueRules,
} from '../../../src/domain/configuration/index.ts';
import { cpuMsSince } from '../../support/cpu.ts';
import { rules } from './support.ts';

const host = { hostRequiredChecks: ['build', 'lint'] };
const queueRules = (yaml: string, hostRequiredChecks: readonly string[] = host.hostRequiredChecks) =>
  toQueueRules(rules(yaml), { hostRequiredChecks });
const names = (checks: readonly { readonly name: string }[] | null) => checks?.map((check) => check.name) ?? null;
const parallel = (keys: string) => `  merge_mode: {type: parallel, parallel_mode: {${keys}}}\n`;

it('a verification that the host requires of heads may come after the end of their CI', () => {
  const yaml = (previews: string) => ({ ...rules(''), verify: rules(`\nverify: {preview: [${previews}]}\n`).verify });
  const ofHead = (previews: string) =>
    toQueueRules(yaml(previews), { hostRequiredChecks: ['build', 'interlock/verify'] }).ownRequiredChecks?.map(
      ({ name, isAwaited = false }) => [name, isAwaited],
    );
  expect(ofHead('{method: endpoint}')).toEqual([
    ['build', false],
    ['interlock/verify', true],
  ]);
  expect(ofHead('')).toEqual([
    ['build', false],
    ['interlock/verify', false],
  ]);
});

describe('checks without which the host accepts no commit', () => {
  const requiredOf = (yaml: string, push: 'free' | 'checked' = 'checked') => {
    const hostRules = { push, why: null, linear: false, signed: false, enforcedChecks: ['build', 'interlock/verify'] };
    return toQueueRules(rules(yaml), { hostRequiredChecks: ['build'], hostRules }).requiredChecks;
  };
  const chosen = (...named: readonly string[]) =>
    `  preconditions: {use_github_mergeability: false, required_checks: [${named.join(', ')}]}\n`;
  it.each([
    ['count in addition to the checks in the configuration', chosen('test') + parallel(''), ['test', 'build']],
    ['count once', chosen('build') + parallel(''), ['build']],
    [
      'count if the host accepts their result, whatever else the configuration accepts',
      chosen('{name: build, acceptable_statuses: [failure]}') + parallel(''),
      ['build', 'build'],
    ],
    ['do not replace the rule that every check must pass', chosen() + parallel(''), ['build', '*']],
    ['do not count if the host merges', chosen('test') + parallel('use_fast_forwarding: false'), ['test']],
  ])('%s', (_name, yaml, expected) => {
    expect(names(requiredOf(yaml))).toEqual(expected);
  });

  it('do not count if the host accepts every commit', () => {
    expect(names(requiredOf(chosen('test') + parallel(''), 'free'))).toEqual(['test']);
  });
});

describe('the queue', () => {
  it('is serial by default, one pull request at a time', () => {
    expect(queueRules('')).toMatchObject({
      mode: 'serial',
      maxParallelBuilds: 1,
      batchSize: 1,
      batchMaxWaitMinutes: 0,
      useOptimisticValidation: false,
      maxRequeueAttempts: 0,
      ciTimeoutMins: 0,
      strategy: 'squash',
      batchCommit: 'group',
    });
  });
  it('ignores the keys of the parallel mode while it is serial', () => {
    const yaml = '  merge_mode: {parallel_mode: {batch_size: 4, max_parallel_builds: 3, max_requeue_attempts: 2}}\n';
    expect(queueRules(yaml)).toMatchObject({
      mode: 'serial',
      batchSize: 1,
      maxParallelBuilds: 1,
      maxRequeueAttempts: 0,
    });
  });
  it('has the batches and builds of the parallel mode', () => {
    const yaml = parallel(
      'batch_size: 4, batch_max_wait_minutes: 2, max_parallel_builds: 3, max_requeue_attempts: 1, optimistic_validation_failure_depth: 2',
    );
    expect(
      queueRules(`${yaml}  ci_timeout_mins: 30\n  merge_strategy: {name: rebase, batch_commit: linear}\n`),
    ).toMatchObject({
      mode: 'parallel',
      batchSize: 4,
      batchMaxWaitMinutes: 2,
      maxParallelBuilds: 3,
      maxRequeueAttempts: 1,
      ciTimeoutMins: 30,
      useOptimisticValidation: true,
      optimisticValidationFailureDepth: 2,
      strategy: 'rebase',
      batchCommit: 'linear',
    });
  });
  it('lands one at a time without optimistic validation if the host merges, only in parallel mode', () => {
    const keys = 'use_fast_forwarding: false';
    expect(queueRules(parallel(keys))).toMatchObject({ batchSize: 1, useOptimisticValidation: false });
    expect(isMergedByHost(rules(parallel(keys)))).toBe(true);
    expect(isMergedByHost(rules(parallel('use_fast_forwarding: true')))).toBe(false);
    expect(isMergedByHost(rules(parallel('')))).toBe(false);
    expect(isMergedByHost(rules(`  merge_mode: {parallel_mode: {${keys}}}\n`))).toBe(false);
  });
  it('limits parallel builds only if a limit is given', () => {
    expect(queueRules(parallel('')).maxParallelBuilds).toBeNull();
  });
});

describe('required checks', () => {
  const preconditions = (keys: string) => `  preconditions: {${keys}}\n`;
  const everything = '*';
  it.each<[string, string, readonly string[], string[] | null, string[] | null]>([
    // what it shows, configuration, the host's list, of a head, of a build
    ["the host's own by default", '', ['build', 'lint'], ['build', 'lint'], ['build', 'lint']],
    ['nothing of a head and any check of a build without protection', '', [], [], null],
    [
      "required_checks instead of the host's",
      preconditions('use_github_mergeability: false, required_checks: [a]'),
      ['build'],
      ['a'],
      ['a'],
    ],
    [
      'no checks of the host for heads, in a build',
      '',
      ['build', 'interlock/verify'],
      ['build', 'interlock/verify'],
      ['build'],
    ],
    [
      'no checks of the host, if they are switched off',
      preconditions('use_github_mergeability: false'),
      ['build'],
      [],
      null,
    ],
    [
      "a given list for builds, the host's for heads",
      preconditions('required_checks: [a]'),
      ['build'],
      ['build'],
      ['a'],
    ],
    ['an override for builds', parallel('override_required_checks: [bot]'), ['build'], ['build'], ['bot']],
    [
      'no override in serial mode',
      '  merge_mode: {parallel_mode: {override_required_checks: [bot]}}\n',
      ['build'],
      ['build'],
      ['build'],
    ],
    ['an empty override falls back', parallel('override_required_checks: []'), ['build'], ['build'], ['build']],
    [
      'every check in addition to the named ones, in serial mode',
      '  require_all_checks_pass: true\n',
      ['build'],
      ['build', everything],
      ['build', everything],
    ],
    [
      'every check of a head in parallel mode',
      `  require_all_checks_pass: true\n${parallel('')}`,
      ['build'],
      ['build', everything],
      ['build'],
    ],
    [
      'every check of a build',
      parallel('require_all_draft_checks_pass: true'),
      ['build'],
      ['build'],
      ['build', everything],
    ],
    [
      'every check that ran, if none is named',
      `  require_all_checks_pass: true\n${parallel('require_all_draft_checks_pass: true')}`,
      [],
      null,
      null,
    ],
  ])('%s', (_, yaml, hostRequired, ofHead, ofBuild) => {
    const derived = queueRules(yaml, hostRequired);
    expect(names(derived.ownRequiredChecks)).toEqual(ofHead);
    expect(names(derived.requiredChecks)).toEqual(ofBuild);
  });
  it('success, skipped and neutral pass, unless the check has other values', () => {
    const yaml = parallel('override_required_checks: [a, {name: b}, {name: c, acceptable_statuses: [failure]}]');
    expect(queueRules(yaml).requiredChecks?.map((check) => check.acceptableStatuses)).toEqual([
      ['success', 'skipped', 'neutral'],
      ['success', 'skipped', 'neutral'],
      ['failure'],
    ]);
  });
});

describe('the digest of build keys', () => {
  const digest = (yaml: string) => queueRules(yaml).buildKeysHash;
  it.each([
    '  merge_strategy: {name: merge}\n',
    '  merge_strategy: {batch_commit: linear}\n',
    '  merge_commit: {use_title_and_body: false}\n',
    parallel(''),
  ])('changes if the configuration has %j', (yaml) => expect(digest(yaml)).not.toBe(digest('')));
  it.each([
    '  ci_timeout_mins: 5\n',
    '  preconditions: {number_of_approvals: 2}\n',
    '  base_branches: [main]\n',
    '  merge_strategy: {name: squash}\n',
  ])('stays the same if the configuration has %j', (yaml) => expect(digest(yaml)).toBe(digest('')));
  it('does not depend on the order of the keys', () => {
    const one = digest(
      '  merge_strategy: {name: merge, batch_commit: linear}\n  merge_commit: {use_title_and_body: false}\n',
    );
    const other = digest(
      '  merge_commit: {use_title_and_body: false}\n  merge_strategy: {batch_commit: linear, name: merge}\n',
    );
    expect(one).toBe(other);
  });
});

describe('the rules of admission', () => {
  it('leave approvals to the host until the configuration has a number', () => {
    expect([
      numberOfApprovals(rules('')),
      numberOfApprovals(rules('  preconditions: {number_of_approvals: 0}\n')),
    ]).toEqual([null, 0]);
  });
  it('give a queue only to the default branch, without base_branches', () => {
    expect(['main', 'develop'].map((name) => isManagedBranch(rules(''), name, 'main'))).toEqual([true, false]);
  });
  it.each([
    ['main', false],
    ['develop', true],
    ['release-1', true],
    ['old-release-1', false],
    ['release-1/fix', true],
    ['releaseX1', false],
  ])('give %s a queue for the base branches develop and /release-.*/: %s', (name, managed) => {
    expect(isManagedBranch(rules('  base_branches: [develop, "/release-.*/"]\n'), name, 'main')).toBe(managed);
  });
  it('match a hostile expression in linear time', () => {
    const before = process.cpuUsage();
    expect(isManagedBranch(rules('  base_branches: ["/(a+)+b/"]\n'), 'a'.repeat(200), 'main')).toBe(false);
    expect(cpuMsSince(before)).toBeLessThan(500);
  });
});
