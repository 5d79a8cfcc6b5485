// The checks of a batch as GraphQL shows them.
import { execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { graphQLContext, type RequestServices } from '../../src/graphql/context.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import { parallel, world, type World } from '../support/world.ts';

const services = { temporal: { health: () => null } } as unknown as RequestServices;

async function landedBatch(w: World, number: number): Promise<unknown> {
  const { owner, name } = w.repository;
  const selection = 'landedBatch { commit botPullRequest { number } checks { name conclusion commit } }';
  const document = parse(
    `{ repository(owner: "${owner}", name: "${name}") { pullRequest(number: ${number}) { ${selection} } } }`,
  );
  const contextValue = graphQLContext(w.ctx, services, 'graphql_api');
  const { data, errors } = await execute({ schema: interlockSchema(), document, contextValue });
  expect(errors ?? []).toEqual([]);
  return (data as { repository: { pullRequest: { landedBatch: unknown } } }).repository.pullRequest.landedBatch;
}

it('a batch that landed by the build of a head has the checks of this head', async () => {
  await using w = await world({ configuration: parallel() });
  const number = await w.open('a', { 'a.txt': 'a\n' });
  const { head_sha: head } = await w.status(number);
  await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length === 1);
  await w.queue(number);
  await w.settled(number);
  const [{ commit } = { commit: '' }] = await w.rows<{ commit: string }>('select commit from landing');
  expect(commit).not.toBe(head);
  expect(await landedBatch(w, number)).toEqual({
    commit,
    botPullRequest: null,
    checks: [{ name: 'test', conclusion: 'SUCCESS', commit: head }],
  });
});

it('a batch that landed by its own build has the checks of its commit', async () => {
  await using w = await world({ configuration: parallel({ more: 'skip_draft_when_up_to_date: false\n' }) });
  const number = await w.open('a', { 'a.txt': 'a\n' });
  await w.queue(number);
  await w.settled(number);
  const [{ commit } = { commit: '' }] = await w.rows<{ commit: string }>('select commit from landing');
  expect(await landedBatch(w, number)).toMatchObject({
    commit,
    checks: [{ name: 'test', conclusion: 'SUCCESS', commit }],
  });
});
