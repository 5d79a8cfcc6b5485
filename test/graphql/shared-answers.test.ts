import { expect, it } from 'vitest';
import { createSharedAnswers, type AnswerRequest } from '../../src/graphql/shared-answers.ts';

type Caller = AnswerRequest<string>['caller'];

const event = { cursor: '1.7' };
const caller: Caller = new Map();

it.each<[string, { subject?: object; caller?: Caller; question?: string; afterMs?: number }, boolean]>([
  ['the same question of the same caller', {}, true],
  ['the same question of another caller', { caller: new Map() as Caller }, false],
  ['another question', { question: 'batchChanged' }, false],
  ['the same question about an equal, but other event', { subject: { cursor: '1.7' } }, false],
  ['the same question just before a second has passed', { afterMs: 999 }, true],
  ['the same question after a second', { afterMs: 1_000 }, false],
])('an answer is shared only with %s', async (_with, changes, isShared) => {
  let at = 0;
  let made = 0;
  const share = createSharedAnswers(() => at);
  const request = { subject: event, caller, question: 'pullRequestChanged', make: async () => (made += 1) };
  await share(request);
  at = changes.afterMs ?? 0;
  expect(await share({ ...request, ...changes })).toBe(isShared ? 1 : 2);
});

it('an answer that is still being made is shared', async () => {
  const share = createSharedAnswers();
  const made = Promise.withResolvers<string>();
  const both = [made.promise, Promise.resolve('another')].map(
    async (answer) => await share({ subject: event, caller, question: 'depth', make: async () => await answer }),
  );
  made.resolve('the first');
  expect(await Promise.all(both)).toEqual(['the first', 'the first']);
});
