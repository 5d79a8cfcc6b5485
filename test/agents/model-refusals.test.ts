// Providers refuse requests or break off. Each time the agent's error names the cause and what to do.
import { describe, expect, it } from 'vitest';
import { createModelAgent } from '../../src/platform/agents/model/index.ts';
import { AgentBusy, AgentRefused } from '../../src/platform/agents/port.ts';
import { modelServer, type ModelReply } from '../support/model-server.ts';
import { agentOf, finish, leaf, protocols, serverOf } from './model-story.ts';
import { testSession } from './session.ts';

type Refused = Extract<ModelReply, { status: number }>;

const forGood: readonly { what: string; reply: Refused; message: RegExp }[] = [
  {
    what: 'the request does not fit into the context',
    reply: {
      status: 400,
      code: 'context_length_exceeded',
      message: 'This model’s maximum context length is 8192 tokens, and you asked for 9000.',
    },
    message: /answered 400: .*8192 tokens.* Ask for less in one step, .*RUNBOOK_MODEL_CONTEXT_TOKENS/,
  },
  {
    what: 'the request does not fit, which only the message says',
    reply: { status: 413, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    message: /answered 413: .* Ask for less in one step/,
  },
  {
    what: 'the filter of the provider stops the request',
    reply: {
      status: 400,
      code: 'content_filter',
      message: 'The prompt triggered our content management policy.',
    },
    message: /answered 400: .*policy\. Put the prompt into other words\./,
  },
  {
    what: 'the account has not paid',
    reply: {
      status: 429,
      code: 'insufficient_quota',
      message: 'insufficient_quota: You exceeded your current quota.',
      headers: { 'retry-after-ms': '1' },
    },
    message: /answered 429: .*quota\. The operator of this installation must pay the provider/,
  },
  {
    what: 'the model does not exist',
    reply: { status: 404, code: 'model_not_found', message: 'There is no such model' },
    message: /answered 404: There is no such model\. .*must correct RUNBOOK_MODEL or RUNBOOK_MODEL_BASE_URL/,
  },
];

describe.each(protocols)('the model agent by $provider', ({ provider }) => {
  it.each(forGood)('fails for good, with cause and advice, if $what', async ({ reply, message }) => {
    await using server = await modelServer(() => reply);
    await using session = await testSession();
    const working = agentOf(server, provider, { retries: 1 }).work(leaf, session);
    await expect(working).rejects.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow(message);
    expect(session.turns).toEqual([]);
  });

  it.each([
    ['a number of seconds', '120', 120_000],
    ['an instant, but an hour at most', 'Fri, 31 Dec 2999 23:59:59 GMT', 3_600_000],
    ['an instant that is over', 'Fri, 31 Dec 1999 23:59:59 GMT', 0],
  ])('is busy for the time of retry-after: %s', async (_what, retryAfter, waitMs) => {
    const headers = { 'retry-after': retryAfter };
    await using server = await modelServer(() => ({ status: 429, message: 'Slow down.', headers }));
    await using session = await testSession();
    const failure: unknown = await agentOf(server, provider, { retries: 0 })
      .work(leaf, session)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentBusy);
    expect(failure).toMatchObject({
      waitMs,
      message: expect.stringMatching(
        /answered 429: Slow down\. The provider accepts no more requests for now: retry the step later/,
      ),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('fails, and the step may be retried, if the provider is overloaded without a time', async () => {
    await using server = await modelServer(() => ({ status: 529, message: 'Overloaded.' }));
    await using session = await testSession();
    const working = agentOf(server, provider, { retries: 0 }).work(leaf, session);
    await expect(working).rejects.not.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow('answered 529: Overloaded. Retry the step when the model works again.');
  });

  it('fails with the advice to check the address if nobody answers there', async () => {
    const gone = await modelServer(() => ({ calls: [finish] }));
    await gone[Symbol.asyncDispose]();
    await using session = await testSession();
    const working = agentOf(gone, provider, { retries: 0, brokenAnswers: 0 }).work(leaf, session);
    await expect(working).rejects.not.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow(/could not be reached: .*RUNBOOK_MODEL_BASE_URL/);
  });
});

const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
const broken = (error: object): ModelReply => ({
  bytes: `${chunk({ role: 'assistant', content: 'I begin' })}data: ${JSON.stringify({ error })}\n\n`,
});

describe.each(['openai', 'openai-compatible'] as const)('a stream of %s with an error', (provider) => {
  it('in the middle is requested again, and its cost is counted', async () => {
    await using server = await serverOf(broken({ message: 'The upstream broke off.', type: 'server_error' }), {
      calls: [finish],
    });
    await using session = await testSession();
    expect(await agentOf(server, provider).work(leaf, session)).toMatchObject({ summary: 'It greets.' });
    expect(session.turns).toHaveLength(2);
    expect(session.turns[0]).toMatchObject({ text: 'I begin' });
    expect(session.turns[0]?.costMicros).toBeGreaterThan(0);
  });

  it('again and again fails with the message of the error, and the step may be retried', async () => {
    await using server = await modelServer(() => broken({ message: 'The upstream broke off.', type: 'server_error' }));
    await using session = await testSession();
    const working = agentOf(server, provider, { brokenAnswers: 1 }).work(leaf, session);
    await expect(working).rejects.not.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow('The upstream broke off.');
    expect(server.requests).toHaveLength(2);
  });

  it('about a context that is too long fails for good', async () => {
    const error = { message: 'maximum context length is 4096 tokens', code: 'context_length_exceeded' };
    await using server = await modelServer(() => broken(error));
    await using session = await testSession();
    const working = agentOf(server, provider, { brokenAnswers: 0 }).work(leaf, session);
    await expect(working).rejects.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow(/4096 tokens\. Ask for less in one step/);
  });
});

it('the agent `openai` uses any base URL for chat completions', async () => {
  await using server = await serverOf({ text: 'Whole.', calls: [finish] });
  await using session = await testSession();
  const agent = createModelAgent({
    provider: 'openai',
    model: 'some-model',
    apiKey: server.apiKey,
    baseUrl: `${server.baseUrl}/`,
    prices: { input: 3, cachedInput: 0.3, output: 15 },
    contextTokens: 128_000,
  });
  expect(await agent.work(leaf, session)).toMatchObject({ summary: 'It greets.' });
  expect(server.requests).toHaveLength(1);
  expect(server.refusals).toEqual([]);
});
