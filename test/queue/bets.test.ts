// Builds as bets, read as users read them: which commits land, on whose builds, and who is blamed.
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queuePullRequest } from '../../src/modules/queue/index.ts';
import { parallel, world, type World, type WorldOptions } from '../support/world.ts';
import { expectLandedOnce, expectVerified, line, resets, statuses } from './stories.ts';

const heads = 'skip_draft_when_up_to_date: false\n';
const judgedByBuildsAlone = 'preconditions:\n  use_github_mergeability: false\n';
const targeted = `${parallel({ builds: 6, more: `${heads}use_affected_targets: true\n` })}${judgedByBuildsAlone}`;

/** A file named after a moment keeps the checks of whatever holds it running until that moment has come. */
const ci = `checks:
  test:
    run: 'while test -e waits && ! test -e GATE; do sleep 0.05; done; test ! -e bad && ! { test -e left && test -e right; }'
`;

async function betting(configuration: string, more: WorldOptions = {}): Promise<World & { release(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'interlock-gate-'));
  // Checks run as nobody.
  await chmod(directory, 0o755);
  const gate = join(directory, 'open');
  const w = await world({ configuration, ci: ci.replace('GATE', gate), ...more });
  return Object.assign(w, { release: async () => await writeFile(gate, '') });
}

/** Opens a pull request with a file of that name and asks to merge it. */
async function ask(
  w: World,
  name: string,
  targets?: readonly string[],
  files: Record<string, string> = {},
): Promise<number> {
  const number = await w.open(name, { [name]: `${name}\n`, ...files });
  await queuePullRequest(w.ctx, {
    repository: w.repository,
    number,
    source: 'graphql_api',
    ...(targets && { affectedTargets: targets }),
  });
  return number;
}

async function builds(w: World): Promise<readonly string[]> {
  const rows = await w.rows<{ assumed: number[]; members: number[] }>(
    `select array(select p.number from batch_assumption a join pull_request p on p.id = a.pull_request_id where a.batch_id = b.id order by a.ordinal) as assumed,
            array(select p.number from batch_member m join pull_request p on p.id = m.pull_request_id where m.batch_id = b.id order by m.ordinal) as members
     from batch b join bot_pull_request bot on bot.batch_id = b.id order by b.id`,
  );
  return rows.map(({ assumed, members }) => `${[...assumed, ''].join(', ')}${members.join('+')}`);
}

async function filesOf(w: World, commit: string): Promise<readonly string[]> {
  return (await w.git('ls-tree', '--name-only', commit)).split('\n').filter((name) => !/^(README|\.)/.test(name));
}

describe('with affected targets', () => {
  it('two lanes land as they are ready, each by its one build, and the second on what git composes', async () => {
    await using w = await betting(targeted);
    const slow = await ask(w, 'one', ['api'], { waits: 'one\n' });
    const fast = await ask(w, 'two', ['web']);
    await w.settled(fast);
    expect(await statuses(w, slow, fast)).toEqual(['tagged', 'merged']);
    await w.release();
    await w.settled(slow);
    await expectLandedOnce(w, slow, fast);
    expect(await line(w)).toEqual(['Add two (#2)', 'Add one (#1)']);
    expect(await filesOf(w, 'main')).toEqual(['one', 'two', 'waits']);
    expect(await builds(w)).toEqual(['1', '2']);
    expect(await resets(w)).toEqual([]);
    await expectVerified(w, { exact: 1, composed: 1 });
  });

  it('those that overlap keep their order; what one build holds lands at once, with what is ready beside it', async () => {
    await using w = await betting(targeted);
    const numbers = [
      await ask(w, 'one', ['api'], { waits: 'one\n' }),
      await ask(w, 'two', ['api', 'web']),
      await ask(w, 'three', ['docs']),
    ];
    await w.settled(3);
    expect(await statuses(w, ...numbers)).toEqual(['tagged', 'tagged', 'merged']);
    expect(await builds(w)).toEqual(['1', '1, 2', '3']);
    const added = await w.rows(
      "select payload->'blockingPullRequests' as blocking from event where action = 'added_to_batch' order by id",
    );
    expect(added).toEqual([{ blocking: [] }, { blocking: [1] }, { blocking: [] }]);
    await w.release();
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    const [first] = await line(w);
    expect(first).toBe('Add three (#3)');
    expect(await builds(w)).toHaveLength(3);
  });
});
