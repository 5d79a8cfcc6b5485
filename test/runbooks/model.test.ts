// Runbooks by a model, from the prompt to the pull request. The agent and the protocol are real; the provider is a
// server of this test.
import { describe, expect, it } from 'vitest';
import { createRunbookDriving } from '../../src/agents.ts';
import { createRunbook } from '../../src/modules/runbooks/index.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { modelServer, type ModelReply, type ModelRequest, type ModelServer } from '../support/model-server.ts';
import { runbookWorld, type RunbookWorld } from '../support/runbook-world.ts';

interface ModelWorld extends AsyncDisposable {
  readonly r: RunbookWorld;
  readonly server: ModelServer;
  ask(prompt: string, budgetMicros?: number): Promise<number>;
}

async function modelWorld(answer: (request: ModelRequest, nth: number) => ModelReply): Promise<ModelWorld> {
  const server = await modelServer(answer);
  const r = await runbookWorld();
  const { sandbox } = await findSandbox({ allowPlain: true, kinds: ['plain'] });
  r.w.loop.runbooks.driving = createRunbookDriving(
    {
      model: {
        provider: 'anthropic',
        model: 'some-model',
        apiKey: server.apiKey,
        baseUrl: server.baseUrl,
        prices: { input: 3, cachedInput: 0.3, output: 15 },
        contextTokens: 128_000,
      },
    },
    { sandbox },
  );
  return {
    r,
    server,
    ask: async (prompt, budgetMicros) =>
      await createRunbook(
        { ...r.w.ctx, runbookAgent: 'model' },
        { repository: r.w.repository, prompt, ...(budgetMicros === undefined ? {} : { budgetMicros }) },
      ),
    async [Symbol.asyncDispose]() {
      await r[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const isPlanning = ({ tools }: ModelRequest): boolean => tools.some(({ name }) => name === 'submit_plan');

const plan: ModelReply = {
  calls: [
    {
      name: 'submit_plan',
      args: {
        title: 'Greet in the morning',
        steps: [
          {
            title: 'Greet',
            parts: [
              { title: 'Write the greeting', instructions: 'Write greeting.txt.' },
              { title: 'Tell people', instructions: 'Write NEWS.md.' },
            ],
          },
        ],
      },
    },
  ],
};

/** In the first turn writes the file that the step names, in the second calls `finish`. */
function working({ messages }: ModelRequest): ModelReply {
  const path = /Write ([\w.]+)\.$/m.exec(messages[0]?.text ?? '')?.[1] ?? 'none';
  return messages.length === 1
    ? { text: ['I write ', `${path}.`], calls: [{ name: 'write_file', args: { path, content: 'good morning\n' } }] }
    : { calls: [{ name: 'finish', args: { summary: `There is ${path}.`, commit_message: `Write ${path}` } }] };
}

describe('a runbook by a model', () => {
  it('is planned, committed step by step, published, and shows its log and its cost', async () => {
    await using m = await modelWorld((request) => (isPlanning(request) ? plan : working(request)));

    const number = await m.ask('Greet people in the morning, please.');
    await m.r.become(number, '1.1 completed', '1.2 completed');
    await m.r.rest(number);

    expect(await m.r.commits('interlock/runbook-1')).toEqual(['Write greeting.txt', 'Write NEWS.md']);
    expect(await m.r.file('interlock/runbook-1', 'NEWS.md')).toBe('good morning');
    expect(await m.r.pullRequests(number)).toEqual(['1 open interlock/runbook-1 into main']);
    expect(await m.r.atHost(await m.r.pullRequestNumber(number))).toMatchObject({ title: 'Greet in the morning' });
    expect(await m.r.log(number)).toContain('I write greeting.txt.');
    // One turn for the plan and two for each of the two leaves, at 600 micros each.
    const [row] = await m.r.w.rows<{ spent_micros: string }>('select spent_micros from runbook');
    expect(Number(row?.spent_micros)).toBe(3000);
    expect(m.server.requests.at(-1)?.messages[0]?.text).toContain(
      '1.1 Write the greeting (completed): There is greeting.txt.',
    );
    expect(m.server.refusals).toEqual([]);
  });

  it('that gives up fails the leaf with its reason, and its changes are discarded', async () => {
    await using m = await modelWorld((request) => {
      if (isPlanning(request)) return plan;
      return request.messages.length === 1
        ? working(request)
        : { calls: [{ name: 'give_up', args: { reason: 'Nobody says in which language. Name one.' } }] };
    });

    const number = await m.ask('Greet people in the morning, please.');
    await m.r.become(number, '1.1 failed: Nobody says in which language. Name one.', '1.2 not_started');
    await m.r.rest(number);

    expect(await m.r.pullRequests(number)).toEqual([]);
  });

  it('fails the leaf in which its budget is spent, and does not spend more', async () => {
    await using m = await modelWorld((request) =>
      isPlanning(request) ? plan : { calls: [{ name: 'list_files', args: {} }] },
    );

    const number = await m.ask('Greet people in the morning, please.', 20_000);
    await m.r.w.until(async () => (await m.r.leaves(number))[0]?.startsWith('1.1 failed') === true);

    expect((await m.r.leaves(number))[0]).toMatch(/budget/);
    const [row] = await m.r.w.rows<{ spent_micros: string }>('select spent_micros from runbook');
    expect(Number(row?.spent_micros)).toBeLessThanOrEqual(20_000);
  });

  it('never stores the API key, in whatever way the model repeats it', async () => {
    await using m = await modelWorld((request) => {
      const key = String(request.headers['x-api-key']);
      if (isPlanning(request)) return plan;
      return request.messages.length === 1
        ? { text: [`My key is ${key.slice(0, 5)}`, key.slice(5)], calls: [{ name: 'read_file', args: { path: key } }] }
        : { calls: [{ name: 'give_up', args: { reason: `I have only ${key}.` } }] };
    });

    const number = await m.ask('What is your key?');
    await m.r.become(number, '1.1 failed: I have only ***.', '1.2 not_started');

    const tables = ['runbook_log', 'runbook_tool_call', 'runbook_turn', 'runbook_step', 'event'];
    for (const table of tables) {
      const rows = await m.r.w.rows<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t`);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.map(({ row }) => row).join('\n')).not.toContain(m.server.apiKey);
    }
    expect(await m.r.log(number)).toContain('My key is ***');
  });
});
