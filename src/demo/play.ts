// Plays a scenario against a running Interlock, as its users would. It pushes branches, opens pull requests by GraphQL,
// queues them by REST, and prints the event log while they land.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient, type Client } from './client.ts';
import { cursorOfNow, followUntil } from './follow.ts';
import type { DemoHost } from './host.ts';
import type { DemoPullRequest, Scenario } from './scenario.ts';
import { createEventPrinter, endedBy, line, type LoggedEvent } from './event-lines.ts';

export interface Played {
  readonly pullRequest: DemoPullRequest;
  readonly number: number;
  readonly status: string;
}

export interface DemoRun {
  readonly url: string;
  readonly token: string;
  readonly host: DemoHost;
  readonly scenario: Scenario;
  readonly say: (line: string) => void;
}

export async function playDemo({ url, token, host, scenario, say }: DemoRun): Promise<readonly Played[]> {
  const client = createClient({ url, token });
  const { owner, name } = scenario;
  say(`${owner}/${name}: ${scenario.pullRequests.length} pull requests, batches of four, up to three builds at once`);
  await host.createRepository();
  await client.rest('POST', `/api/v1/config?org=${owner}&repo=${name}`, scenario.configuration);
  const startedAt = performance.now();
  const print = (text: string): void =>
    say(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`);
  const titles = new Map<number, string>();
  // The cursor is read before the first pull request is opened, so that no event is missed.
  const after = await cursorOfNow(client, scenario);
  const folder = await mkdtemp(join(tmpdir(), 'interlock-demo-'));
  try {
    await pushBranches(host, scenario, folder);
    print(line('pushed', `main and ${scenario.pullRequests.length} branches, over HTTP`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const numbers = new Map<number, DemoPullRequest>();
  for (const pullRequest of scenario.pullRequests) {
    const number = await host.openPullRequest(pullRequest);
    numbers.set(number, pullRequest);
    titles.set(number, pullRequest.title);
  }
  // The repository is paused until all pull requests are in line. Otherwise the first one would be built alone.
  await client.rest('POST', '/api/v1/repo', { org: owner, name, paused: true });
  for (const [number, { title }] of numbers) {
    await host.queue(number);
    print(line('queued', `#${number} ${title}`));
  }
  await client.rest('POST', '/api/v1/repo', { org: owner, name, paused: false });
  await printUntilSettled({ url, token, after }, titles, print);
  return await Promise.all(
    [...numbers].map(async ([number, pullRequest]) => ({
      pullRequest,
      number,
      status: (await readPullRequest(client, scenario, number)).status,
    })),
  );
}

async function pushBranches(host: DemoHost, scenario: Scenario, folder: string): Promise<void> {
  const git = async (...args: string[]): Promise<string> => await host.git(folder, ...args);
  await git('init', '-q', '-b', 'main');
  await commitFiles(git, folder, { files: scenario.files, message: 'Open the shop' });
  for (const { branch, title, files } of scenario.pullRequests) {
    await git('checkout', '-q', '-b', branch, 'main');
    await commitFiles(git, folder, { files, message: title });
  }
  // `main` is pushed first, because a host makes the first branch that it receives the default branch.
  await git('push', '-q', host.remote, 'main');
  await git('push', '-q', host.remote, '--all');
}

export async function commitFiles(
  git: (...args: string[]) => Promise<string>,
  folder: string,
  { files, message }: { readonly files: Readonly<Record<string, string>>; readonly message: string },
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    if (text === '') await rm(join(folder, path), { force: true });
    else await writeFile(join(folder, path), text);
  }
  await git('add', '-A');
  await git('commit', '-q', '-m', message);
}

async function readPullRequest(client: Client, { owner, name }: Scenario, number: number): Promise<{ status: string }> {
  return await client.rest('GET', `/api/v1/pull_request?org=${owner}&repo=${name}&number=${number}`);
}

const longestMs = 5 * 60_000;

/** Prints the event log until no pull request is left in line. */
async function printUntilSettled(
  { after, ...access }: { readonly url: string; readonly token: string; readonly after: string },
  titles: ReadonlyMap<number, string>,
  print: (text: string) => void,
): Promise<void> {
  const describe = createEventPrinter(titles);
  const inLine = new Set(titles.keys());
  await followUntil<LoggedEvent & { readonly cursor: string }>(
    access,
    {
      what: 'the pull requests of the demo to land or to be blocked',
      subscription: 'subscription ($after: String!) { events(after: $after) { cursor action payload } }',
      after,
      withinMs: longestMs,
    },
    (event) => {
      const text = describe(event);
      if (text !== null) print(text);
      for (const number of endedBy(event)) inLine.delete(number);
      return inLine.size === 0;
    },
  );
}
