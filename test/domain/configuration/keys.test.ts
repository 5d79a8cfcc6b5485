import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import {
  blockedLabel,
  configurationSchema,
  defaultConfigurationYaml,
  parseConfiguration,
  problemText,
} from '../../../src/domain/configuration/index.ts';
import type { Configuration } from '../../../src/domain/configuration/index.ts';
import { listKeys } from '../../../src/domain/configuration/key.ts';
import { verify } from '../../../src/domain/configuration/verify.keys.ts';
import { keyTable } from './keys.table.ts';
import { accepted, documentWith, problemsOf } from './support.ts';

function read(configuration: Configuration, path: readonly string[]): unknown {
  return path.reduce<unknown>((group, name) => (group as Record<string, unknown> | undefined)?.[name], configuration);
}

const keys = listKeys(configurationSchema);

function camelPath(key: string): string {
  return key
    .split('.')
    .map((name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .join(' -> ');
}

it('every key has a row in the table, and every row has a key', () => {
  expect(keyTable.map((row) => row.key).toSorted()).toEqual(keys.map((entry) => entry.path.join('.')).toSorted());
});

describe.each(keyTable)('$key', ({ key, accepts, refuses }) => {
  for (const value of accepts) {
    it(`takes ${JSON.stringify(value)}, and reads it back unchanged`, () => {
      const configuration = accepted(documentWith(key, value));
      const read = key
        .split('.')
        .reduce<unknown>((group, name) => (group as Record<string, unknown>)[name], configuration);
      expect(read).toEqual(value);
    });
  }
  for (const [value, reason] of refuses) {
    it(`refuses ${JSON.stringify(value).slice(0, 60)}: ${reason}`, () => {
      const problems = problemsOf(documentWith(key, value));
      expect(problems.map((problem) => problem.reason)).toContain(reason);
      for (const problem of problems) {
        expect(problemText(problem).startsWith(camelPath(key))).toBe(true);
        expect(problem.line).toBeGreaterThan(0);
        expect(problem.column).toBeGreaterThan(0);
      }
    });
  }
});

describe('a key without a value', () => {
  it.each(keyTable.map((row) => row.key).filter((key) => key !== 'merge_rules.labels.trigger'))(
    '%s counts as left out',
    (key) => {
      expect(accepted(documentWith(key, null))).toEqual(accepted(defaultConfigurationYaml));
    },
  );
  it('is reported as missing if it is required', () => {
    expect(problemsOf(documentWith('merge_rules.labels.trigger', null))[0]?.code).toBe('REQUIRED');
  });
});

it('a key without effect has no default', () => {
  const configuration = accepted('{}');
  const claimed = keys.filter((entry) => !entry.supported && read(configuration, entry.path) !== undefined);
  expect(claimed).toEqual([]);
});

it('a supported key accepts its own default', () => {
  const refused = keys.filter(
    (entry) => entry.supported && entry.accepts?.map(String).includes(entry.default) === false,
  );
  expect(refused).toEqual([]);
});

describe('a rule between keys', () => {
  const messages = (value: unknown) =>
    configurationSchema.safeParse(value).error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const labels = { trigger: 'a' };
  const parallel = (parallel_mode: object) => ({ merge_rules: { labels, merge_mode: { parallel_mode } } });
  const at = 'merge_rules.merge_mode.parallel_mode';
  const previews = (...preview: object[]) =>
    verify.safeParse({ preview }).error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);

  it('the label for skip line must be a label of its own', () => {
    expect(problemsOf('merge_rules: {labels: {trigger: a, skip_line: a}}').map(problemText)).toEqual([
      'mergeRules -> labels -> skipLine: must differ from the trigger label',
    ]);
  });
  // Without this rule, a configuration from a time when the label had no meaning was refused later, and its queues
  // halted.
  it('the label of blocked pull requests is `blocked`, unless another label has that name', () => {
    const labels = (more: string): string => `merge_rules: {labels: {${more}}}`;
    const named = (more: string): string | null => {
      const parsed = parseConfiguration(labels(more));
      return parsed.ok ? blockedLabel(parsed.configuration.merge_rules.labels) : null;
    };
    expect(named('trigger: go')).toBe('blocked');
    expect(named('trigger: blocked')).toBe('');
    expect(named('trigger: go, skip_line: blocked')).toBe('');
    expect(named('trigger: blocked, merge_failed: failed')).toBe('failed');
    expect(named('trigger: go, merge_failed: ""')).toBe('');
    for (const clash of ['trigger: blocked, merge_failed: blocked', 'trigger: go, skip_line: x, merge_failed: x'])
      expect(problemsOf(labels(clash)).map(problemText)).toEqual([
        'mergeRules -> labels -> mergeFailed: must differ from the trigger and the skip_line label',
      ]);
  });
  it('a file may write a required check in both spellings', () => {
    const text = stringify({
      merge_rules: {
        labels,
        preconditions: { required_checks: ['a', { name: 'b', acceptable_statuses: ['success'] }] },
      },
    });
    expect(accepted(text).merge_rules.preconditions.required_checks).toHaveLength(2);
  });
  it.each([
    ['interlock/verify', null],
    ['interlock/*', null],
    ['inter*', null],
    ['interlock/verfy', 'write interlock/verify'],
    ['Interlock/Verify', 'write interlock/verify'],
    ['interlock/verify ci', 'write interlock/verify'],
    ['interlock/x*', 'write interlock/verify'],
    ['interlocked', null],
  ])('a required check of the service must exist: %s', (name, message) => {
    for (const check of [name, { name }])
      for (const rules of [
        { preconditions: { required_checks: ['ci', check] } },
        { merge_mode: { parallel_mode: { override_required_checks: ['ci', check] } } },
      ]) {
        const problems = problemsOf(stringify({ merge_rules: { labels, ...rules } }));
        expect(problems.map(({ reason }) => reason)).toEqual(
          message === null
            ? []
            : [`is not a check of Interlock, although only checks of Interlock begin with interlock/: ${message}`],
        );
      }
  });
  it('max_topup_builds needs max_parallel_builds', () => {
    expect(messages(parallel({ max_topup_builds: 2 }))).toEqual([`${at}.max_topup_builds: needs max_parallel_builds`]);
    expect(messages(parallel({ max_topup_builds: 2, max_parallel_builds: 3 }))).toBeUndefined();
  });
  it('max_parallel_paused_builds must be below max_parallel_builds', () => {
    expect(messages(parallel({ max_parallel_paused_builds: 3, max_parallel_builds: 3 }))).toEqual([
      `${at}.max_parallel_paused_builds: must be below max_parallel_builds`,
    ]);
    expect(messages(parallel({ max_parallel_paused_builds: 2, max_parallel_builds: 3 }))).toBeUndefined();
  });
  it('update_pr_commits_before_stack_merge needs use_separate_commits_for_stack', () => {
    const strategy = (merge_strategy: object) => messages({ merge_rules: { labels, merge_strategy } });
    expect(strategy({ update_pr_commits_before_stack_merge: true })).toEqual([
      'merge_rules.merge_strategy.update_pr_commits_before_stack_merge: needs use_separate_commits_for_stack',
    ]);
    expect(
      strategy({ update_pr_commits_before_stack_merge: true, use_separate_commits_for_stack: true }),
    ).toBeUndefined();
  });
  it('show_as_merged needs a group commit', () => {
    const strategy = (merge_strategy: object) => messages({ merge_rules: { labels, merge_strategy } });
    expect(strategy({ show_as_merged: true, batch_commit: 'linear' })).toEqual([
      'merge_rules.merge_strategy.show_as_merged: needs batch_commit: group',
    ]);
    expect(strategy({ show_as_merged: true })).toBeUndefined();
  });
  it('a host that merges by itself needs batches of one', () => {
    expect(messages(parallel({ use_fast_forwarding: false, batch_size: 2 }))).toEqual([
      `${at}.batch_size: must be 1 with use_fast_forwarding: false, because the base would be untested between two merges by the host`,
    ]);
    expect(messages(parallel({ use_fast_forwarding: false, use_optimistic_validation: true }))).toBeUndefined();
  });
  it('a label can select only one strategy', () => {
    const override = (override_labels: object) =>
      messages({ merge_rules: { labels, merge_strategy: { override_labels } } });
    expect(override({ squash: 'x', merge: 'x' })).toEqual([
      'merge_rules.merge_strategy.override_labels: must be labels that differ',
    ]);
    expect(override({ squash: 'x', merge: 'X' })).toEqual(override({ squash: 'x', merge: 'x' }));
    expect(override({ squash: 'x', merge: 'y' })).toBeUndefined();
  });
  it('a regular expression for titles is checked when it is saved', () => {
    const title = (rule: object) =>
      messages({ merge_rules: { labels, merge_commit: { apply_title_regexes: [rule] } } });
    expect(title({ pattern: '[', replace: '' })).toBeUndefined();
    expect(title({ pattern: '(a)', replace: '$2' })).toBeUndefined();
    expect(title({ pattern: '[', replace: '', match_type: 'regex' })?.[0]).toContain('RE2 syntax');
  });
  it('a preview is a sandbox with image and port, or an endpoint without them', () => {
    expect(previews({ image: 'web', port: 3000 })).toBeUndefined();
    expect(previews({ method: 'endpoint', wait_timeout_sec: 60, expires_default_sec: 86400 })).toBeUndefined();
    expect(previews({ image: 'web' })).toEqual(['preview.0.port: is required']);
    expect(previews({ method: 'endpoint', image: 'web' })).toEqual([
      'preview.0.image: is not a key of the method endpoint',
    ]);
    expect(previews({ method: 'endpoint', wait_timeout_sec: 59 })?.[0]).toContain('must be an integer from 60 to 7200');
  });
  it('several previews need different names', () => {
    const endpoint = { method: 'endpoint' };
    expect(previews({ ...endpoint, name: 'a' }, { ...endpoint, name: 'b' })).toBeUndefined();
    expect(previews(endpoint, { ...endpoint, name: 'b' })).toEqual([
      'preview.0.name: is required when there are several previews',
    ]);
    expect(previews({ ...endpoint, name: 'a' }, { ...endpoint, name: 'a' })).toEqual([
      'preview.1.name: must be unique',
    ]);
  });
});
