import { describe, expect, it } from 'vitest';
import { createModelAgent } from '../../src/platform/agents/model/index.ts';
import { AgentRefused, BudgetSpent } from '../../src/platform/agents/port.ts';
import { modelServer } from '../support/model-server.ts';
import { agentOf, answersIn, finish, leaf, outline, plan, protocols, serverOf } from './model-story.ts';
import { testSession } from './session.ts';

describe.each(protocols)('the model agent by $provider', ({ provider, protocol }) => {
  it('turns a prompt into steps, after looking at the repository with tools that only read', async () => {
    await using server = await serverOf(
      { text: 'Let me look.', calls: [{ name: 'read_file', args: { path: 'greeting.txt' } }] },
      { calls: [{ name: 'submit_plan', args: plan }] },
    );
    await using session = await testSession({ mode: 'plan', files: { 'greeting.txt': 'hello\n' } });

    const planned = await agentOf(server, provider).plan(outline, session);

    expect(planned).toEqual({
      title: 'Greet in the morning',
      steps: [
        {
          title: 'Change the greeting',
          leaves: [{ title: 'Edit the file', instructions: { text: 'Edit greeting.txt.' } }],
        },
        {
          title: 'Tell people',
          leaves: [
            { title: 'Changelog', instructions: { text: 'Add a line to CHANGELOG.md.' } },
            { title: 'Readme', instructions: { text: 'Correct README.md.' } },
          ],
        },
      ],
    });
    const [first, second] = server.requests;
    expect(first?.protocol).toBe(protocol);
    expect(first?.stream).toBe(true);
    expect(first?.tools.map(({ name }) => name)).toEqual([
      'read_file',
      'list_files',
      'search_files',
      'submit_plan',
      'give_up',
    ]);
    expect(first?.messages.at(-1)?.text).toContain('Say good morning instead of hello.');
    expect(answersIn(second)).toEqual([expect.stringContaining('hello\n')]);
    expect(server.refusals).toEqual([]);
  });

  it('works on a leaf until it finishes, and reports', async () => {
    await using server = await serverOf(
      { text: ['I look', ' first.'], calls: [{ name: 'read_file', args: { path: 'greeting.txt' } }] },
      {
        text: 'Now I write.',
        calls: [
          { name: 'write_file', args: { path: 'greeting.txt', content: 'good morning\n' } },
          { name: 'read_file', args: { path: 'greeting.txt' } },
        ],
      },
      { calls: [finish] },
    );
    await using session = await testSession({ files: { 'greeting.txt': 'hello\n' } });

    const report = await agentOf(server, provider).work(leaf, session);

    expect(report).toEqual({ summary: 'It greets.', commitMessage: 'Greet in the morning' });
    expect(session.text('greeting.txt')).toBe('good morning\n');
    expect(session.history).toEqual([
      ['say', 'I look'],
      ['say', ' first.'],
      ['spend', '600'],
      ['call', 'read_file done'],
      ['say', 'Now I write.'],
      ['spend', '600'],
      ['call', 'write_file done'],
      ['call', 'read_file done'],
      ['spend', '600'],
    ]);
    expect(answersIn(server.requests[2])).toEqual([
      expect.stringMatching(/^done\n<data-[0-9a-f]+>\nhello\n/),
      expect.stringContaining('greeting.txt'),
      expect.stringContaining('good morning'),
    ]);
    expect(server.refusals).toEqual([]);
  });

  it('passes text on while it is streamed, not when the answer is over', async () => {
    const heard = Promise.withResolvers<void>();
    await using server = await modelServer(() => ({
      text: ['started', ' and ended'],
      // The server sends the last piece of text only after the session got the first piece.
      beforePiece: async (piece) => void (piece.includes(' and ended') && (await heard.promise)),
    }));
    await using session = await testSession({ onSay: () => heard.resolve() });

    const report = await agentOf(server, provider).work(leaf, session);

    expect(report).toEqual({ summary: 'started and ended', commitMessage: 'Change the greeting' });
  });

  it('sends the refusal of a tool to the model, and continues', async () => {
    await using server = await serverOf(
      { calls: [{ name: 'write_file', args: { path: '../outside', content: '' } }, finish] },
      { calls: [finish] },
    );
    await using session = await testSession();

    await agentOf(server, provider).work(leaf, session);

    expect(answersIn(server.requests[1])).toEqual([
      expect.stringMatching(/^refused\n/),
      expect.stringContaining('another call of this turn failed'),
    ]);
    expect(server.refusals).toEqual([]);
  });

  it('fails a leaf for good with the message of the model if the model gives up', async () => {
    await using server = await serverOf({
      calls: [{ name: 'give_up', args: { reason: 'There is no greeting here. Name the file.' } }],
    });
    await using session = await testSession();

    const working = agentOf(server, provider).work(leaf, session);

    await expect(working).rejects.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow('There is no greeting here. Name the file.');
  });

  it('asks again as soon as the provider allows it', async () => {
    await using server = await modelServer((_, nth) =>
      nth < 3
        ? { status: nth === 1 ? 429 : 500, message: 'Not now.', headers: { 'retry-after-ms': '1' } }
        : { calls: [finish] },
    );
    await using session = await testSession();

    const report = await agentOf(server, provider).work(leaf, session);

    expect(report.summary).toBe('It greets.');
    expect(server.requests).toHaveLength(3);
    // The refused requests got no answer, so they cost nothing.
    expect(session.turns).toHaveLength(1);
  });

  it('fails, and the step may be retried, if the provider refuses again and again', async () => {
    await using server = await modelServer(() => ({
      status: 503,
      message: 'Too busy.',
      headers: { 'retry-after-ms': '1' },
    }));
    await using session = await testSession();

    const working = agentOf(server, provider, { retries: 2 }).work(leaf, session);

    await expect(working).rejects.toThrow(`The model ${provider}/some-model answered 503: Too busy.`);
    await expect(working).rejects.not.toBeInstanceOf(AgentRefused);
    expect(server.requests).toHaveLength(3);
  });

  it('asks again after an answer that broke off, and counts the cost of both', async () => {
    await using server = await serverOf(
      { text: ['Half of ', 'it', ' all'], calls: [finish], cutBefore: ' all' },
      { text: 'Whole.', calls: [finish] },
    );
    await using session = await testSession();

    const report = await agentOf(server, provider).work(leaf, session);

    expect(report.summary).toBe('It greets.');
    expect(session.turns).toHaveLength(2);
    expect(session.turns[0]?.text).toContain('Half of ');
    expect(session.turns[0]?.costMicros).toBeGreaterThan(0);
    expect(server.refusals).toEqual([]);
  });

  it('stops in the middle of an answer when the runbook is canceled, and closes the connection', async () => {
    const never = new Promise<void>(() => {});
    await using server = await modelServer(() => ({
      text: ['thinking', ' for ever'],
      beforePiece: async (piece) => void (piece.includes(' for ever') && (await never)),
    }));
    await using session = await testSession({ onSay: () => session.cancel() });

    await expect(agentOf(server, provider).work(leaf, session)).rejects.toThrow('The runbook was canceled.');

    await expect.poll(() => server.closedEarly).toBe(1);
    expect(session.turns.map(({ text }) => text)).toEqual(['thinking']);
  });

  it('makes no more requests when the budget is spent', async () => {
    await using server = await modelServer(() => ({ calls: [{ name: 'read_file', args: { path: 'greeting.txt' } }] }));
    await using session = await testSession({ files: { 'greeting.txt': 'hello\n' }, budgetMicros: 10_000 });

    await expect(agentOf(server, provider).work(leaf, session)).rejects.toThrow(/budget/);

    const spent = session.turns.reduce((sum, { costMicros }) => sum + costMicros, 0);
    expect(spent).toBeLessThanOrEqual(10_000);
    expect(session.turns.length).toBeGreaterThan(1);
    expect(server.requests).toHaveLength(session.turns.length);
    // Each request limits its answer to what the budget still allows.
    for (const [at, { maxOutputTokens }] of server.requests.entries())
      expect(maxOutputTokens! * 15).toBeLessThanOrEqual(10_000 - at * 600);
  });

  it('may finish with the last of its budget, but runs no tool after the budget is spent', async () => {
    await using server = await modelServer((_, nth) =>
      nth === 1
        ? { usage: { input: 100, output: 980 }, calls: [finish] }
        : { usage: { input: 100, output: 980 }, calls: [{ name: 'write_file', args: { path: 'a', content: 'b' } }] },
    );
    await using first = await testSession({ budgetMicros: 15_000 });
    await using second = await testSession({ budgetMicros: 15_000 });
    const agent = agentOf(server, provider);

    expect(await agent.work(leaf, first)).toMatchObject({ summary: 'It greets.' });
    expect(first.remainingMicros()).toBe(0);
    await expect(agent.work(leaf, second)).rejects.toBeInstanceOf(BudgetSpent);
    expect(second.text('a')).toBeNull();
  });

  it('never shows its key, and says what to correct if the key is refused', async () => {
    await using server = await serverOf({ calls: [finish] });
    await using session = await testSession();
    const key = 'a-key-that-nobody-knows';
    const agent = createModelAgent({
      provider,
      model: 'some-model',
      apiKey: key,
      baseUrl: server.baseUrl,
      prices: { input: 3, cachedInput: 0.3, output: 15 },
      contextTokens: 128_000,
    });

    const working = agent.work(leaf, session);

    await expect(working).rejects.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow(/answered 401: .*RUNBOOK_MODEL_API_KEY/);
    expect(String(await working.catch((error: unknown) => error))).not.toContain(key);
    expect(server.refusals).toHaveLength(1);
  });
});
