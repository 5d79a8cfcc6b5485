import { expect, it } from 'vitest';
import { createSharedAnswers as createAnswers, type AnswerRequest } from '../../src/graphql/shared-answers.ts';

type Caller = AnswerRequest<string>['caller'];

/** With promises instead of takers. */
function createSharedAnswers(now?: () => number) {
  const share = createAnswers(now);
  return async <Value>(request: AnswerRequest<Value>): Promise<Value> =>
    await new Promise((resolve, reject) => share(request, { resolve, reject }));
}

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

it('is told only after the question was asked, also if the answer is known', async () => {
  const share = createAnswers();
  const told: string[] = [];
  const request = { subject: event, caller, question: 'order', make: async () => 'answer' };
  const ask = async (name: string): Promise<void> =>
    await new Promise((resolve, reject) => {
      share(request, { resolve: () => resolve(void told.push(`${name} is told`)), reject });
      told.push(`${name} has asked`);
    });
  await ask('first');
  await ask('second');
  expect(told).toEqual(['first has asked', 'first is told', 'second has asked', 'second is told']);
});

it('an answer that could not be made is an error for all that share it', async () => {
  const share = createSharedAnswers();
  const request = {
    subject: event,
    caller,
    question: 'failing',
    make: async (): Promise<never> => await Promise.reject(new Error('no rows')),
  };
  const outcomes = await Promise.allSettled([share(request), share(request)]);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual([
    'Error: no rows',
    'Error: no rows',
  ]);
});
