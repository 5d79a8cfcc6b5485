// The bot pull request of a failed build is used again for the next build of the pull requests behind it.
import { describe, expect, it } from 'vitest';
import { toHostedRepository } from '../../src/hosts/port.ts';
import { moveBranch } from '../../src/modules/queue/builds/bot-pull-requests.ts';
import { loadRepository } from '../../src/modules/repositories/index.ts';
import { parallel, world, type World } from '../support/world.ts';
import { dyingAt, expectLandedOnce, startCi, statuses } from './stories.ts';

const ci = "checks:\n  test:\n    run: 'test ! -e bad'\n";
const byBuilds = 'preconditions:\n  use_github_mergeability: false\n';
// Own checks are no evidence here, so each tip needs a build.
const builtEachTime = 'skip_draft_when_up_to_date: false\n';

interface Used {
  readonly batch: string;
  readonly number: number;
  readonly head: string;
  readonly closed: boolean;
}

async function used(w: World): Promise<Used[]> {
  return await w.rows<Used>(
    'select batch_id as batch, number, head_commit_sha as head, closed_at is not null as closed from bot_pull_request order by id',
  );
}

async function twoBehindABadOne(more = ''): Promise<{ w: World; bad: number; good: number }> {
  const w = await world({
    configuration: `${parallel({ builds: 2, more: `${builtEachTime}${more}` })}${byBuilds}`,
    ci,
    runsCi: false,
  });
  const bad = await w.open('bad', { bad: '1\n' });
  const good = await w.open('good', { good: '1\n' });
  await w.queue(bad, good);
  await w.until(async () => (await statuses(w, bad, good)).every((status) => status === 'tagged'));
  return { w, bad, good };
}

describe('reuse_draft_pr_on_failure', () => {
  it('moves the same bot pull request to the next build, even if the worker dies, and leaves nothing open', async () => {
    const { w, bad, good } = await twoBehindABadOne();
    await using _ = w;
    const first = await used(w);
    const isReused = async (): Promise<void> =>
      await w.until(async () => (await used(w)).length > 2 && (await statuses(w, good))[0] === 'merged');
    await using _ci = await startCi(w);
    await dyingAt(w, 'build:after_branch', isReused);
    await w.settled(bad, good);
    expect(await statuses(w, bad, good)).toEqual(['blocked 107', 'merged']);
    await expectLandedOnce(w, good);
    const all = await used(w);
    expect(all.map(({ number }) => number)).toEqual([first[0]?.number, first[1]?.number, first[1]?.number]);
    expect(new Set(all.map(({ head }) => head)).size).toBe(3);
    expect(all.map(({ closed }) => closed)).toEqual([true, true, true]);
    expect((await w.events()).filter(([action]) => action === 'reset')).toHaveLength(1);
  });

  it('opens a new one each time if the key is false', async () => {
    const { w, bad, good } = await twoBehindABadOne('reuse_draft_pr_on_failure: false\n');
    await using _ = w;
    await using _ci = await startCi(w);
    await w.settled(bad, good);
    await expectLandedOnce(w, good);
    expect(new Set((await used(w)).map(({ number }) => number)).size).toBe(3);
  });

  it('opens another one if somebody closed the bot pull request', async () => {
    const { w, bad, good } = await twoBehindABadOne();
    await using _ = w;
    const [, second] = await used(w);
    await w.pause(true);
    await w.dequeue(bad);
    await w.host.close(second?.number ?? 0);
    await w.service.drain();
    await w.pause(false);
    await using _ci = await startCi(w);
    await dyingAt(w, 'bot:after_close', async () => await w.settled(good));
    await expectLandedOnce(w, good);
    const numbers = (await used(w)).map(({ number }) => number);
    expect(numbers.at(-1)).not.toBe(second?.number);
  });
});

it('moves the branch of a build, if two workers move it to the same commit at once', async () => {
  await using w = await world({ runsCi: false });
  const to = await w.commit('ahead', { ahead: '1\n' });
  const host = toHostedRepository(await loadRepository(w.ctx, w.repository));
  const move = async (): Promise<void> => await moveBranch(w.ctx, host, { branch: 'mq-bot-9', to });
  await Promise.all([move(), move()]);
  expect(await w.git('rev-parse', 'mq-bot-9')).toBe(to);
});
