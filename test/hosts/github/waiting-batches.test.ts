// A batch that needs no build of its own waits to land. Nothing was pushed for it, so GitHub shows no check of its commit.
import { expect, it } from 'vitest';
import { requestRefresh } from '../../../src/modules/queue/index.ts';
import { replaceConfiguration } from '../../../src/modules/repositories/index.ts';
import { configurationYaml, parallel } from '../../support/world.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

const closed = 'merge_windows:\n  - {cron_start: "0 0 1 1 *", cron_end: "1 0 1 1 *", timezone: UTC}\n';

async function configure(w: QueueWorld, yaml: string): Promise<void> {
  const repository = { owner: w.place.owner, name: w.place.repo };
  await replaceConfiguration(w.ctx, { repository, yaml: configurationYaml(yaml) });
}

/** Reads the pull request and the commits of its batches from GitHub again, as a person asks for it. */
async function refresh(w: QueueWorld, number: number): Promise<void> {
  await requestRefresh(w.ctx, { repository: { owner: w.place.owner, name: w.place.repo }, number });
  await w.until(
    async () => (await w.rows("select 1 from intent where kind = 'refresh' and state <> 'done'")).length === 0,
  );
}

async function read(w: QueueWorld, number: number): Promise<{ status: string; status_text: string | null }> {
  const [row] = await w.rows<{ status: string; status_text: string | null }>(
    'select status, status_text from pull_request where number = $1',
    [number],
  );
  if (row === undefined) throw new Error(`There is no #${number}.`);
  return row;
}

it('a batch that waits for a merge window with the checks of a head gets its own build when these no longer count', async () => {
  let aheadMs = 0;
  await using w = await queueWorld({
    configuration: `${parallel()}${closed}${requiresTest}`,
    clock: () => new Date(Date.now() + aheadMs),
  });
  const number = await w.open('a', { a: 'a\n' });
  const ended = async (): Promise<unknown[]> => await w.rows('select 1 from build where finished_at is not null');
  await w.until(async () => (await ended()).length === 1);
  await w.label(number);
  await w.until(async () => (await w.rows('select 1 from batch where build_started_at is not null')).length === 1);
  expect(await w.rows('select 1 from bot_pull_request')).toEqual([]);
  aheadMs = 2 * 60_000;
  await refresh(w, number);
  await configure(w, `${parallel({ more: 'skip_draft_when_up_to_date: false\n' })}${closed}${requiresTest}`);
  await w.until(async () => (await read(w, number)).status !== 'queued');
  expect(await read(w, number)).toMatchObject({ status: 'tagged' });
  await configure(w, `${parallel({ more: 'skip_draft_when_up_to_date: false\n' })}${requiresTest}`);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});
