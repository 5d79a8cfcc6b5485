// Worlds with speculative builds, and requests in them.
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queuePullRequest } from '../../src/modules/queue/index.ts';
import { parallel, world, type World, type WorldOptions } from '../support/world.ts';
import { judgedByBuildsAlone } from './stories.ts';

const heads = 'skip_draft_when_up_to_date: false\n';
export const adaptiveRules = `${parallel({ builds: 6, more: heads })}${judgedByBuildsAlone}speculation: adaptive\n`;
export const targetedRules = `${parallel({ builds: 6, more: `${heads}use_affected_targets: true\n` })}${judgedByBuildsAlone}`;

/** The check of a commit with the file `waits` runs until the gate is open. `left` and `right` fail only together. */
const ci = `checks:
  test:
    run: 'while test -e waits && ! test -e GATE; do sleep 0.05; done; test ! -e bad && ! { test -e left && test -e right; }'
`;

export async function speculativeWorld(
  configuration: string,
  more: WorldOptions = {},
): Promise<World & { release(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'interlock-gate-'));
  // Checks run as the user nobody, so this folder must be readable.
  await chmod(directory, 0o755);
  const gate = join(directory, 'open');
  const w = await world({ configuration, ci: ci.replace('GATE', gate), ...more });
  return Object.assign(w, { release: async () => await writeFile(gate, '') });
}

/** Opens a pull request with a file of this name, and requests its merge. */
export async function ask(
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

export async function builds(w: World): Promise<readonly string[]> {
  const rows = await w.rows<{ assumed: number[]; members: number[] }>(
    `select array(select p.number from batch_assumption a join pull_request p on p.id = a.pull_request_id where a.batch_id = b.id order by a.ordinal) as assumed,
            array(select p.number from batch_member m join pull_request p on p.id = m.pull_request_id where m.batch_id = b.id order by m.ordinal) as members
     from batch b join bot_pull_request bot on bot.batch_id = b.id order by b.id`,
  );
  return rows.map(({ assumed, members }) => `${[...assumed, ''].join(', ')}${members.join('+')}`);
}

export async function filesOf(w: World, commit: string): Promise<readonly string[]> {
  return (await w.git('ls-tree', '--name-only', commit)).split('\n').filter((name) => !/^(README|\.)/.test(name));
}
