// Unusable answers of a model. Interlock sends the reason back to the model. After three unusable answers in a row the
// leaf fails.
import { describe, expect, it } from 'vitest';
import { AgentRefused } from '../../src/platform/agents/port.ts';
import { modelServer, type ModelTurn } from '../support/model-server.ts';
import { agentOf, answersIn, finish, leaf, outline, plan, protocols, serverOf } from './model-story.ts';
import { testSession } from './session.ts';

const useless: readonly { what: string; turn: ModelTurn; message: RegExp }[] = [
  {
    what: 'arguments that are not JSON',
    turn: { calls: [{ name: 'read_file', args: null }], rawArguments: '{"path": "greet' },
    message: /JSON/i,
  },
  {
    what: 'arguments that are not an object',
    turn: { calls: [{ name: 'read_file', args: 'greeting.txt' }] },
    message: /must be a JSON object/,
  },
  {
    what: 'a tool that does not exist',
    turn: { calls: [{ name: 'commit', args: {} }] },
    message: /There is no tool "commit"\. There are: read_file, .*write_file/,
  },
  { what: 'an empty answer', turn: { text: '' }, message: /The answer was empty/ },
  { what: 'an answer of spaces only', turn: { text: ' \n' }, message: /The answer was empty/ },
  { what: 'an answer that was cut off', turn: { text: 'I will', end: 'length' }, message: /cut off at its limit/ },
  {
    what: 'a call that was cut off',
    turn: { calls: [{ name: 'write_file', args: null }], rawArguments: '{"path": "a", "content": "b', end: 'length' },
    message: /The call of write_file was cut off/,
  },
  {
    what: 'a report without a summary',
    turn: { calls: [{ name: 'finish', args: { commit_message: 'Greet' } }] },
    message: /summary/,
  },
];

describe.each(protocols)('the model agent by $provider', ({ provider }) => {
  it.each(useless)('gets the reason after $what, and continues', async ({ turn, message }) => {
    await using server = await serverOf(turn, { calls: [finish] });
    await using session = await testSession({ files: { 'greeting.txt': 'hello\n' } });

    const report = await agentOf(server, provider).work(leaf, session);

    expect(report.summary).toBe('It greets.');
    expect(server.requests[1]?.messages.at(-1)?.text).toMatch(message);
    expect(server.refusals).toEqual([]);
  });

  it.each(useless)('fails the leaf with the reason after three times $what', async ({ turn, message }) => {
    await using server = await modelServer(() => turn);
    await using session = await testSession({ files: { 'greeting.txt': 'hello\n' } });

    const working = agentOf(server, provider).work(leaf, session);

    await expect(working).rejects.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow(message);
    expect(server.requests).toHaveLength(3);
    expect(server.refusals).toEqual([]);
    expect(session.turns).toHaveLength(3);
  });

  it('gets the reason after a wrong plan, and after prose instead of a plan', async () => {
    await using server = await serverOf(
      { text: 'First I would change the greeting, then tell people.' },
      { calls: [{ name: 'submit_plan', args: { title: 'Greet', steps: [{ title: 'One', parts: [] }] } }] },
      { calls: [{ name: 'submit_plan', args: plan }] },
    );
    await using session = await testSession({ mode: 'plan' });

    const planned = await agentOf(server, provider).plan({ ...outline, title: 'As it was called' }, session);

    expect(planned.title).toBe('As it was called');
    expect(planned.steps).toHaveLength(2);
    expect(server.requests[1]?.messages.at(-1)?.text).toMatch(/Call submit_plan or give_up/);
    expect(answersIn(server.requests[2]).at(-1)).toMatch(/parts/);
    expect(server.refusals).toEqual([]);
  });

  it('fails the leaf for good if the provider withholds the answer', async () => {
    await using server = await serverOf({ text: 'I', end: 'filter' });
    await using session = await testSession();

    const working = agentOf(server, provider).work(leaf, session);

    await expect(working).rejects.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow(/withheld/);
  });

  it('fails the leaf for good if the model does not end within its turns', async () => {
    await using server = await modelServer(() => ({ calls: [{ name: 'list_files', args: {} }] }));
    await using session = await testSession();

    const working = agentOf(server, provider, { turns: 4 }).work(leaf, session);

    await expect(working).rejects.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow('did not finish within 4 turns');
    expect(server.requests).toHaveLength(4);
    expect(server.requests[3]?.messages.at(-1)?.text).toMatch(/last turn\. Call finish or give_up/);
    expect(server.requests[3]?.tools.map(({ name }) => name)).toEqual(['finish', 'give_up']);
    expect(server.refusals).toEqual([]);
  });

  it.each([
    { what: 'an HTML page instead of a stream', bytes: '<html>Sign in first</html>' },
    { what: 'a stream of another protocol', bytes: 'data: {"hello": "world"}\n\ndata: [DONE]\n\n' },
    { what: 'broken JSON', bytes: 'event: message_start\ndata: {"type": "message_start", "mess\n\n' },
    { what: 'an empty answer', bytes: '' },
  ])('fails with a message on $what', async ({ bytes }) => {
    await using server = await modelServer(() => ({ bytes }));
    await using session = await testSession();

    const working = agentOf(server, provider, { brokenAnswers: 1, malformedInARow: 1 }).work(leaf, session);

    await expect(working).rejects.toThrow(/could not be|empty/);
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });

  it('fails, and the step may be retried, if the model sends nothing', async () => {
    await using server = await modelServer(() => ({ hangs: true }));
    await using session = await testSession();

    const working = agentOf(server, provider, { firstTokenMs: 1_000 }).work(leaf, session);

    await expect(working).rejects.toThrow(`The model ${provider}/some-model stopped answering. Retry the step`);
    await expect(working).rejects.not.toBeInstanceOf(AgentRefused);
    await expect.poll(() => server.closedEarly).toBe(1);
  });

  it('shows the message of a provider that refuses, without the key', async () => {
    await using server = await modelServer(() => ({
      status: 400,
      message: 'The key key-of-the-model-server may not use this model',
    }));
    await using session = await testSession();

    const working = agentOf(server, provider).work(leaf, session);

    await expect(working).rejects.toBeInstanceOf(AgentRefused);
    await expect(working).rejects.toThrow('answered 400: The key *** may not use this model.');
    expect(server.requests).toHaveLength(1);
  });
});
