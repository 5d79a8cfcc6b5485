// Subscriptions to the changes of one runbook or of all runbooks of a repository, and to a log while it is written.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRepository, pushBranches } from '../rest/contract/repository.ts';
import { started, follow, type Followed } from '../support/follow.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seedRunbook, type SeededRunbook } from './runbook-rows.ts';

const repository = { owner: 'acme', name: 'web' };
let s: TestServer;
let repositoryId: string;
beforeAll(async () => {
  s = await startServer();
  for (const name of ['web', 'site']) {
    await makeRepository(s, { owner: 'acme', name });
    await pushBranches(s, { owner: 'acme', name }, []);
  }
  const [row] = await s.rows<{ id: string }>("select id::text from repository where name = 'web'");
  repositoryId = row?.id ?? '';
});
afterAll(async () => await s.close());

interface Change {
  readonly cursor: string;
  readonly action: string;
  readonly log: string;
  readonly runbook: { readonly number: number; readonly status: string };
  readonly step: { readonly number: string; readonly status: string } | null;
}

const changes =
  'subscription ($number: Int, $repository: RepositoryInput, $after: String) { runbookChanged(number: $number, repository: $repository, after: $after) { cursor action log runbook { number status } step { number status } } }';
const linesOf = ({ payloads }: Followed<Change>): string[] =>
  payloads.map(({ action, runbook, step }) =>
    [runbook.number, action, step?.number].filter((word) => word !== undefined).join(' '),
  );

async function run(mutation: string, input: Readonly<Record<string, unknown>>): Promise<number> {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const { data, text, errors } = await s.graphql<Record<string, { runbook: { number: number } }>>(
    `mutation ($input: ${type}!) { ${mutation}(input: $input) { runbook { number } } }`,
    { input },
  );
  if (errors.length > 0) throw new Error(text);
  return data[mutation]?.runbook.number ?? 0;
}

const write = async ({ id }: SeededRunbook, text: string): Promise<unknown> =>
  await s.rows('insert into runbook_log (account_id, runbook_id, text, at) values ($1, $2, $3, now())', [
    s.accountId,
    id,
    text,
  ]);

describe('a subscription to runbooks', () => {
  it('sends the changes of one runbook, or of all runbooks of a repository; a resumed one misses none', async () => {
    const one = await run('createRunbook', { repository, prompt: 'First' });
    // An event that gets its position only after the start of the subscription would be sent too.
    await expect.poll(async () => await s.rows('select 1 from event where position is null')).toEqual([]);
    await using single = follow<Change>(s, changes, { number: one });
    await using all = follow<Change>(s, changes, { repository });
    await started(single, all);
    await run('createRunbook', { repository: { owner: 'acme', name: 'site' }, prompt: 'Elsewhere' });
    const two = await run('createRunbook', { repository, prompt: 'Second' });
    await run('continueRunbook', { number: one, prompt: 'More' });
    await run('cancelRunbook', { number: one });
    await Promise.all([single.until(5), all.until(6)]);
    const ofOne = [
      `${one} runbook_prompted`,
      `${one} runbook_step_changed 1.1`,
      `${one} runbook_step_changed 2.1`,
      `${one} runbook_status_changed`,
      `${one} runbook_canceled`,
    ];
    expect(linesOf(single)).toEqual(ofOne);
    expect(linesOf(all)).toEqual([`${two} runbook_created`, ...ofOne]);
    expect(single.payloads[1]).toMatchObject({
      runbook: { status: 'FAILED' },
      step: { number: '1.1', status: 'FAILED' },
    });
    await using resumed = follow<Change>(s, changes, { repository, after: all.payloads[2]?.cursor });
    await resumed.until(3);
    expect(linesOf(resumed)).toEqual(ofOne.slice(2));
  });

  it('sends with each change the log lines since the change before', async () => {
    const runbook = await seedRunbook(s, { repositoryId, leaves: [['1.1', 'failed']], more: { pr_mode: 'manual' } });
    await write(runbook, 'before anybody looked\n');
    await using followed = follow<Change>(s, changes, { number: runbook.number });
    await started(followed);
    await write(runbook, 'reads a file\n');
    await run('publishRunbook', { number: runbook.number });
    await followed.until(1);
    await write(runbook, 'writes ');
    await write(runbook, 'another\n');
    await run('continueRunbook', { number: runbook.number, prompt: 'More' });
    await followed.until(2);
    expect(followed.payloads.map(({ action, log }) => [action, log])).toEqual([
      ['runbook_publish_requested', 'reads a file\n'],
      ['runbook_prompted', 'writes another\n'],
    ]);
  });

  it.each([
    [{ number: 999 }, 'NOT_FOUND'],
    [{ repository: { owner: 'acme', name: 'none' } }, 'NOT_FOUND'],
    [{}, 'BAD_INPUT'],
    [{ number: 1, repository }, 'BAD_INPUT'],
  ])('with %j is refused: %s', async (variables, code) => {
    await using followed = follow<Change>(s, changes, variables);
    await followed.until(1);
    expect(followed.errors).toMatchObject([{ extensions: { code } }]);
  });

  it('has changes that are also in the list of all events', async () => {
    const number = await run('createRunbook', { repository, prompt: 'Third' });
    await expect
      .poll(async () => {
        const { data } = await s.graphql<{ repository: { events: { nodes: unknown[] } } }>(
          '{ repository(owner: "acme", name: "web") { events(first: 1) { nodes { action runbook { number } payload } } } }',
        );
        return data.repository.events.nodes;
      })
      .toMatchObject([{ action: 'runbook_created', runbook: { number }, payload: { number, title: 'Third' } }]);
  });
});

describe('a subscription to a log', () => {
  it('starts after a cursor, and ends when no leaf is left to do', async () => {
    const runbook = await seedRunbook(s, {
      repositoryId,
      leaves: [
        ['1.1', 'in_progress'],
        ['1.2', 'not_started'],
      ],
    });
    await write(runbook, 'one\n');
    await write(runbook, 'two\n');
    const query =
      'subscription ($number: Int!, $after: String) { runbookLog(number: $number, after: $after) { text cursor } }';
    await using whole = follow<{ text: string; cursor: string }>(s, query, { number: runbook.number });
    await whole.until(2);
    await using rest = follow<{ text: string }>(s, query, {
      number: runbook.number,
      after: whole.payloads[0]?.cursor,
    });
    await s.rows("update runbook_step set status = 'completed' where runbook_id = $1 and number = '1.1'", [runbook.id]);
    await write(runbook, 'three\n');
    await Promise.all([whole.until(3), rest.until(2)]);
    await write(runbook, 'four\n');
    await s.rows("update runbook_step set status = 'completed' where runbook_id = $1 and number = '1.2'", [runbook.id]);
    await Promise.all([whole.completed, rest.completed]);
    expect(whole.payloads.map(({ text }) => text)).toEqual(['one\n', 'two\n', 'three\n', 'four\n']);
    expect(rest.payloads.map(({ text }) => text)).toEqual(['two\n', 'three\n', 'four\n']);
  });

  it('stays open while a prompt waits for its plan, and does not wait for the leaves after a failed one', async () => {
    const query = 'subscription ($number: Int!) { runbookLog(number: $number) { text } }';
    const waiting = await seedRunbook(s, { repositoryId });
    await using planning = follow<{ text: string }>(s, query, { number: waiting.number });
    await planning.connected();
    await write(waiting, 'thinking\n');
    await planning.until(1);
    const failed = await seedRunbook(s, {
      repositoryId,
      leaves: [
        ['1.1', 'failed'],
        ['1.2', 'not_started'],
      ],
    });
    await using over = follow<{ text: string }>(s, query, { number: failed.number });
    await over.completed;
    // A follow-up passed over the failed leaf, and the leaf of the follow-up is not started yet.
    const gone = await seedRunbook(s, {
      repositoryId,
      leaves: [
        ['1.1', 'failed'],
        ['2.1', 'not_started'],
      ],
    });
    await s.rows("update runbook_step set passed_over = true where runbook_id = $1 and number = '1.1'", [gone.id]);
    await using going = follow<{ text: string }>(s, query, { number: gone.number });
    await going.connected();
    await write(gone, 'working\n');
    await going.until(1);
    await s.rows("update runbook_step set status = 'completed' where runbook_id = $1 and number = '2.1'", [gone.id]);
    await going.completed;
    await s.rows('update runbook_prompt set planned_at = now() where runbook_id = $1', [waiting.id]);
    await planning.completed;
    expect(planning.payloads).toEqual([{ text: 'thinking\n' }]);
  });
});
