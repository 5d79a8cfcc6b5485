import { describe, expect, it } from 'vitest';
import { defaultConfigurationYaml, problemText } from '../../../src/domain/configuration/index.ts';
import { editDistance } from '../../../src/domain/edit-distance.ts';
import { cpuMsSince } from '../../support/cpu.ts';
import { accepted, problemsOf } from './support.ts';

const messages = (text: string) => problemsOf(text).map(problemText);

describe('a document', () => {
  it('is accepted if it is the first configuration of a repository', () => {
    expect(accepted(defaultConfigurationYaml).merge_rules.labels.trigger).toBe('mergequeue');
  });
  it('may leave out merge_rules, which keeps all defaults', () => {
    expect(accepted('{}')).toEqual(accepted(defaultConfigurationYaml));
    expect(accepted('version: 1.0.0\nverify: {}\n')).toEqual(accepted(defaultConfigurationYaml));
  });
  it('with merge_rules needs the trigger label', () => {
    expect(messages('merge_rules: {update_latest: true}')).toEqual(['mergeRules -> labels -> trigger: is required']);
  });
  it.each(['', '# nothing\n', 'null', '[]', '- a', 'text', '5'])('%j is not a configuration', (text) => {
    expect(messages(text)).toEqual(['The configuration must be a mapping of keys']);
  });
  it('is refused if a group is not a mapping', () => {
    expect(messages('merge_rules: []')).toEqual(['mergeRules: must be a mapping of keys']);
    expect(messages('merge_rules: {labels: mergequeue}')).toEqual(['mergeRules -> labels: must be a mapping of keys']);
  });
});

describe('a refusal', () => {
  it('names the setting and the reason as documented', () => {
    const text = 'merge_rules:\n  labels: {trigger: a}\n  merge_mode:\n    parallel_mode:\n      batch_size: 0\n';
    expect(problemsOf(text)).toEqual([
      {
        path: ['merge_rules', 'merge_mode', 'parallel_mode', 'batch_size'],
        reason: 'must be an integer of at least 1',
        code: 'INVALID_VALUE',
        line: 5,
        column: 19,
      },
    ]);
    expect(messages(text)).toEqual([
      'mergeRules -> mergeMode -> parallelMode -> batchSize: must be an integer of at least 1',
    ]);
  });
  it('has no control characters of the names in the document', () => {
    expect(messages('{"a\\e[2J\\x9bb\\0c": 1}')).toEqual([
      'a [2J b c: is not a known key; the nearest known key is version',
    ]);
  });
  it('names all problems at once, in the order of the text', () => {
    const text = [
      'merge_rules:',
      '  labels: {trigger: 5}',
      '  preconditions:',
      '    required_checks:',
      '      - test',
      '      - {name: lint, acceptable_statuses: [green]}',
      '  surprise: 1',
      'scenarios: [{name: a, trigger: {}, actions: []}]',
    ].join('\n');
    expect(problemsOf(text).map(({ code, line, column, path }) => [code, line, column, path.at(-1)])).toEqual([
      ['INVALID_VALUE', 2, 21, 'trigger'],
      ['INVALID_VALUE', 6, 44, '0'],
      ['UNKNOWN_KEY', 7, 3, 'surprise'],
      ['NOT_SUPPORTED', 8, 12, 'scenarios'],
    ]);
  });
  it.each([
    ['merge_rule: {}', 'mergeRule', 'merge_rules'],
    ['merge_rules: {labels: {trigger: a, skipLine: b}}', 'mergeRules -> labels -> skipLine', 'skip_line'],
    [
      'merge_rules: {labels: {trigger: a}, batch_size: 2}',
      'mergeRules -> batchSize',
      'merge_rules.merge_mode.parallel_mode.batch_size',
    ],
    ['merge_rules: {labels: {trigger: a}, ci_timeout: 2}', 'mergeRules -> ciTimeout', 'ci_timeout_mins'],
    ['preview: []', 'preview', 'verify.preview'],
    ['versio:', 'versio', 'version'],
  ])('%s: the nearest known key is named', (text, path, nearest) => {
    expect(messages(text)).toContain(`${path}: is not a known key; the nearest known key is ${nearest}`);
  });
  it('of a broken document is one problem with its place', () => {
    expect(problemsOf('merge_rules:\n  labels: [a\n')).toEqual([
      {
        path: [],
        reason: expect.stringMatching(/^The document is not valid YAML at line 3, column 1: Flow sequence/),
        code: 'INVALID_YAML',
        line: 3,
        column: 1,
      },
    ]);
  });
});

describe('YAML that a configuration does not need', () => {
  it.each([
    [
      'an alias',
      'merge_rules: {labels: &l {trigger: a}, merge_mode: *l}',
      'mergeRules -> mergeMode: aliases are not allowed: write the value out',
    ],
    ['a merge key', 'a: &a {b: 1}\nc:\n  <<: *a\n', 'c -> <<: aliases are not allowed: write the value out'],
    [
      'a key given twice',
      'merge_rules:\n  labels: {trigger: a, trigger: b}\n',
      'mergeRules -> labels -> trigger: is given twice',
    ],
    [
      'a NUL',
      '{}\n# a\u0000b',
      'The document is not valid YAML at line 2, column 4: control characters are not allowed',
    ],
    [
      'half a character',
      '# \ud800',
      'The document is not valid YAML at line 1, column 3: control characters are not allowed',
    ],
    ['a tag', 'merge_rules: !secret x', 'The document is not valid YAML at line 1, column 14: tags are not allowed'],
    [
      'a second document',
      '{}\n---\nmerge_rules: 5\n',
      'The document is not valid YAML at line 2, column 1: a configuration is a single document',
    ],
    ['a key that is a number', 'merge_rules: {1: a}', 'mergeRules: keys must be text: put them in quotes'],
    ['a key that is a list', '? [a]\n: 1\n', 'keys must be text: put them in quotes'],
    ['__proto__', '__proto__: {polluted: true}', '__proto__: is not allowed as a key'],
    [
      'constructor',
      'merge_rules: {constructor: {prototype: {polluted: true}}}',
      'mergeRules -> constructor: is not allowed as a key',
    ],
  ])('%s is refused', (_, text, message) => {
    expect(messages(text)).toContain(message);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a text that is meant to be slow', () => {
  const kib256 = 256 * 1024;
  const fill = (piece: string) => piece.repeat(Math.floor((kib256 - 10) / piece.length));
  it.each([
    ['brackets', fill('['), 'nested too deeply'],
    ['nested mappings', fill('{a: '), 'nested too deeply'],
    ['nested lists', '- '.repeat(10_000), 'nested too deeply'],
    ['list dashes', fill('- '), 'too many values'],
    ['quotes', fill('"'), 'too many values'],
    ['many small lists', fill('[]'), 'too many values'],
    ['errors', fill('a: ]\n'), 'too many values'],
    ['anchors', `a: ${fill('&a ')}`, 'too many values'],
    ['many keys', Array.from({ length: 10_000 }, (_, index) => `k${index}:`).join('\n'), 'not a known key'],
    ['one long key', `${'k'.repeat(1000)}: 1`, 'not a known key'],
    [
      'a long list of mappings',
      `merge_rules: {labels: {trigger: a}, base_branches: [${'{x: 1},'.repeat(4000)}]}`,
      'at most 50 entries',
    ],
    ['more than 256 KiB', `#${'é'.repeat(kib256 / 2)}`, 'larger than 256 KiB'],
  ])('(%s) is refused within two seconds of CPU', (_, text, reason) => {
    const before = process.cpuUsage();
    const problems = problemsOf(text);
    expect(cpuMsSince(before)).toBeLessThan(2000);
    expect(problems.length).toBeLessThanOrEqual(100);
    expect(problems[0]?.reason).toContain(reason);
  });
});

it('the edit distance counts insertions, deletions and replacements', () => {
  expect([editDistance('', 'abc'), editDistance('abc', 'abc'), editDistance('kitten', 'sitting')]).toEqual([3, 0, 3]);
});
