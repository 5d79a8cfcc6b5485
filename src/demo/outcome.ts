// Checks the outcome of the demo from outside. It reads the status of every pull request by the API, clones the
// repository, and runs the check at every first-parent commit.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient, type Client, type RunGit } from './client.ts';
import type { DemoHost } from './host.ts';
import type { Played } from './play.ts';
import type { Scenario } from './scenario.ts';

const run = promisify(execFile);
const expectedStatus = { merged: 'merged', conflict: 'blocked', failed: 'blocked' } as const;

export interface OutcomeCheck {
  readonly url: string;
  readonly token: string;
  readonly host: DemoHost;
  readonly scenario: Scenario;
  readonly played: readonly Played[];
  readonly say: (line: string) => void;
}

/** Prints what was checked. Returns a sentence for each fault. */
export async function checkOutcome({
  url,
  token,
  host,
  scenario,
  played,
  say,
}: OutcomeCheck): Promise<readonly string[]> {
  const client = createClient({ url, token });
  const failures = played.flatMap(({ pullRequest, number, status }) =>
    status === expectedStatus[pullRequest.expected]
      ? []
      : [`#${number} ${pullRequest.title} is ${status}, not ${expectedStatus[pullRequest.expected]}`],
  );
  say(
    `${played.filter(({ status }) => status === 'merged').length} merged, ${played.filter(({ status }) => status === 'blocked').length} blocked`,
  );
  for (const each of played) failures.push(...(await host.check(each)));
  const folder = await mkdtemp(join(tmpdir(), 'interlock-outcome-'));
  try {
    await host.git(folder, 'clone', '-q', host.remote, 'clone');
    failures.push(
      ...(await checkHistory(client, { scenario, played, say, git: host.git, clone: join(folder, 'clone') })),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return failures;
}

async function checkHistory(
  client: Client,
  { scenario, played, say, ...of }: Pick<OutcomeCheck, 'scenario' | 'played' | 'say'> & { git: RunGit; clone: string },
): Promise<string[]> {
  const git = async (...args: string[]): Promise<string> => await of.git(of.clone, ...args);
  const firstParents = (await git('log', '--first-parent', '--format=%H', 'main')).split('\n');
  const failures: string[] = [];
  for (const { pullRequest, number, status } of played.filter((one) => one.status === 'merged')) {
    const { mergeCommit } = await readLanding(client, scenario, number);
    if (mergeCommit === null || !firstParents.includes(mergeCommit))
      failures.push(
        `#${number} is ${status}, but its merge commit ${mergeCommit} is not on the first-parent line of main`,
      );
    for (const [path, text] of Object.entries(pullRequest.files)) {
      const content = await git('show', `HEAD:${path}`).catch(() => '');
      if (content !== text.trim()) failures.push(`#${number} is merged, but ${path} on main does not have its content`);
    }
  }
  const red: string[] = [];
  for (const commit of firstParents) {
    await git('checkout', '-q', '--detach', commit);
    await run('sh', ['check.sh'], { cwd: of.clone }).catch(() => red.push(commit));
  }
  say(
    `${firstParents.length} first-parent commits of main, the check run again at each: ${firstParents.length - red.length} green, ${red.length} red`,
  );
  return [...failures, ...red.map((commit) => `main was red at ${commit}`)];
}

async function readLanding(
  client: Client,
  { owner, name }: Scenario,
  number: number,
): Promise<{ mergeCommit: string | null }> {
  const answer = await client.graphql<{ repository: { pullRequest: { mergeCommit: string | null } } }>(
    'query ($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { pullRequest(number: $number) { mergeCommit } } }',
    { owner, name, number },
  );
  return answer.repository.pullRequest;
}
