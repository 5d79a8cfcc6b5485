// The assertions at the end of `github-faults`, about the rows, git and the proofs.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../src/platform/project-root.ts';
import { isRed, owner, type Bench, type Shop } from './github-faults.world.ts';

/**
 * Checks that each red pull request is blocked, and that every other pull request landed exactly once. Returns the
 * failures.
 */
export async function checkRows({ rows }: Bench): Promise<readonly string[]> {
  const found = await rows<{ name: string; number: number; status: string; landings: number }>(
    `select r.name, p.number, p.status, (select count(*)::int from landed_member m where m.pull_request_id = p.id) as landings
     from pull_request p join repository r on r.id = p.repository_id order by r.name, p.number`,
  );
  return found.flatMap(({ name, number, status, landings }) => {
    const should = isRed(number) ? 'blocked 0' : 'merged 1';
    const is = `${status} ${landings}`;
    return is === should ? [] : [`${name}#${number} is ${is}, not ${should} (status, landings)`];
  });
}

/**
 * Checks that the first-parent line of the base branch has the first commit and one commit for each landing, and that
 * no tree is red. Returns the failures.
 */
export async function checkHistory({ git, folder, person, rows }: Bench, { name }: Shop): Promise<readonly string[]> {
  const directory = join(folder, name);
  await git(directory, 'fetch', '-q', '--force', `${person.webUrl}/${owner}/${name}.git`, 'main:refs/heads/landed');
  const commits = (await git(directory, 'log', '--first-parent', '--format=%H', 'landed')).split('\n');
  const failures: string[] = [];
  for (const commit of commits)
    if (/^bad/m.test(await git(directory, 'ls-tree', '--name-only', commit)))
      failures.push(`${name} is red at ${commit}`);
  const landed = await rows<{ commit: string }>(
    `select l.commit from landing l join repository r on r.id = l.repository_id where r.name = '${name}'`,
  );
  const line = commits.slice(0, -1).toSorted().join();
  const known = landed
    .map(({ commit }) => commit)
    .toSorted()
    .join();
  return line === known ? failures : [...failures, `${name} has other commits on its line than landings`];
}

export async function verify({ name }: Shop, dataDir: string): Promise<readonly string[]> {
  const program = join(projectRoot, 'dist', 'programs', 'verify.js');
  return await promisify(execFile)(process.execPath, [program, `${owner}/${name}`, '--data', dataDir]).then(
    () => [],
    (error: unknown) => [`not every proof of ${name} holds: ${(error as { stdout?: string }).stdout ?? ''}`],
  );
}
