import { describe, expect, it } from 'vitest';
import { evaluate, evaluateCondition, interpolate, type Scope } from '../../github-emulator/actions/expression.ts';
import { isStartedBy, matchesFilter, type TriggerEvent } from '../../github-emulator/actions/triggers.ts';
import { InvalidWorkflow, parseWorkflow } from '../../github-emulator/actions/workflow-file.ts';

const scope: Scope = {
  contexts: { github: { head_ref: 'mq-bot-1', event: { number: 7 } }, needs: { unit: { result: 'success' } } },
  status: 'success',
};

it.each([
  ["!startsWith(github.head_ref, 'mq-bot-')", false],
  ["github.event.number == 7 && needs.unit.result == 'SUCCESS'", true],
  ["github.event['number'] > 7 || contains('queue', 'EU')", true],
  ["format('{0}-{1}', 'a', 2)", 'a-2'],
  ["github.nothing || 'it''s empty'", "it's empty"],
])('the expression %s has the value %j', (source, value) => {
  expect(evaluate(source, scope)).toBe(value);
});

it.each([
  ['toJSON(github)', 'The emulator has no function toJSON().'],
  ['secrets.TOKEN', "Unrecognized named-value: 'secrets'."],
  ['1 +', "Unexpected symbol: '+' in 1 +"],
])('the expression %s is refused', (source, message) => {
  expect(() => evaluate(source, scope)).toThrow(message);
});

it('a condition is false after a failure unless it asks for the status', () => {
  const failed: Scope = { ...scope, status: 'failure' };
  const conditions = [null, 'true', 'always()', 'failure()', '${{ !cancelled() }}'];
  expect(conditions.map((each) => evaluateCondition(each, failed))).toEqual([false, false, true, true, true]);
  expect(interpolate('on ${{ github.head_ref }}!', scope)).toBe('on mq-bot-1!');
});

it.each([
  [['main'], 'main', true],
  [['mq-bot-**'], 'mq-bot-1/x', true],
  [['releases/*'], 'releases/1/2', false],
  [['**', '!docs/**'], 'docs/a.md', false],
  [['*.jsx?'], 'page.js', true],
])('the filter %j matches %s: %s', (patterns, name, isMatch) => {
  expect(matchesFilter(patterns, name)).toBe(isMatch);
});

const file = (on: string) => parseWorkflow('ci.yml', `on: ${on}\njobs: { a: { runs-on: x, steps: [{ run: ls }] } }`);
const push = (ref: string, message = 'Change'): TriggerEvent => ({
  kind: 'push',
  ref,
  changedPaths: ['a.ts'],
  message,
});
const pull = (action: string): TriggerEvent => ({
  kind: 'pull_request',
  action,
  base: 'main',
  changedPaths: ['docs/a.md'],
  message: 'Change',
});

it.each<[string, TriggerEvent, boolean]>([
  ['push', push('refs/heads/any'), true],
  ['push', push('refs/tags/v1'), true],
  ['{ push: { branches: [main] } }', push('refs/heads/any'), false],
  ['{ push: { branches: [main] } }', push('refs/tags/v1'), false],
  ['{ push: { branches-ignore: [main] } }', push('refs/heads/any'), true],
  ['{ push: { paths: ["docs/**"] } }', push('refs/heads/any'), false],
  ['push', push('refs/heads/any', 'Change\n\n[skip ci]'), false],
  ['[push, pull_request]', pull('opened'), true],
  ['pull_request', pull('closed'), false],
  ['{ pull_request: { types: [closed] } }', pull('closed'), true],
  ['{ pull_request: { paths-ignore: ["docs/**"] } }', pull('opened'), false],
  ['merge_group', push('refs/heads/any'), false],
])('a workflow on %s is started by %j: %s', (on, event, isStarted) => {
  expect(isStartedBy(file(on), event)).toBe(isStarted);
});

describe('a workflow file', () => {
  const job = '{ runs-on: x, steps: [{ run: ls }] }';
  it.each([
    ['on: push\njobs: 7', 'jobs: '],
    [`on: push\njobs: { a: { runs-on: x, needs: b, steps: [{ run: ls }] } }`, "Job 'a' depends on unknown job 'b'."],
    [`on: push\njobs: { a: { runs-on: x, needs: a, steps: [{ run: ls }] } }`, "Job 'a' depends on itself."],
    [`on: push\njobs: { a: { runs-on: x, strategy: {}, steps: [{ run: ls }] } }`, 'strategy'],
    [`on: push\njobs: { a: { runs-on: x, steps: [{ run: ls, uses: x }] } }`, 'exactly one of `uses` and `run`'],
    [`on: { push: { branches: [a], branches-ignore: [b] } }\njobs: { a: ${job} }`, 'only define one of `branches`'],
    [
      `on: { workflow_dispatch: { inputs: { ${Array.from({ length: 26 }, (_, at) => `i${at}: {}`).join(', ')} } } }\njobs: { a: ${job} }`,
      'up to 25 `inputs`',
    ],
    ['on: push\njobs: {', 'yaml syntax'],
  ])('is refused if it cannot run: %j', (source, reason) => {
    const parse = () => parseWorkflow('.github/workflows/ci.yml', source);
    expect(parse).toThrow(InvalidWorkflow);
    expect(parse).toThrow(reason);
  });
});
