// The repositories, pull requests and people of `github-faults`.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Octokit } from '@octokit/core';
import type { Client, RunGit } from '../src/demo/client.ts';
import type { GitHubPerson } from '../src/demo/host.ts';

export const owner = 'acme';
export const isRed = (index: number): boolean => index % 20 === 13;

const configurationOf = (batch: number): string => `merge_rules:
  labels:
    trigger: mergequeue
  preconditions:
    number_of_approvals: 0
    use_github_mergeability: false
    required_checks: [test]
  merge_strategy:
    name: merge
  status_comment:
    publish: never
  publish_status_check: never
  merge_mode:
    type: parallel
    parallel_mode:
      max_parallel_builds: 3
      batch_size: ${batch}
`;

const workflow = `name: ci
on:
  push:
    branches: ['mq-bot-**']
  pull_request:
jobs:
  test:
    if: \${{ !startsWith(github.head_ref, 'mq-bot-') }}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: test -z "$(ls | grep '^bad')"
`;

export interface Bench {
  readonly client: Client;
  readonly person: GitHubPerson;
  readonly octokit: Octokit;
  readonly git: RunGit;
  readonly folder: string;
  readonly rows: <Row extends object>(text: string) => Promise<Row[]>;
  readonly applyControls: (controls: Readonly<Record<string, readonly unknown[]>>) => Promise<void>;
  readonly shops: readonly Shop[];
  /** When a person labelled each pull request, by `<repository>#<number>`, in milliseconds since the epoch. */
  readonly labelledAt: Map<string, number>;
}

export interface Shop {
  readonly name: string;
  readonly count: number;
}

export async function inEachShop(bench: Bench, work: (shop: Shop) => Promise<void>): Promise<void> {
  await Promise.all(bench.shops.map(work));
}

export async function openAll(bench: Bench, url: string, batch: number): Promise<void> {
  const { client, octokit, shops } = bench;
  for (const { name } of shops) await octokit.request('POST /orgs/{org}/repos', { org: owner, name });
  await fetch(`${url}/github/installed`);
  await inEachShop(bench, async ({ name }) => {
    await client.graphql(
      'mutation ($repository: RepositoryInput!) { setRepositoryActive(input: {repository: $repository, active: true}) { repository { id } } }',
      { repository: { owner, name } },
    );
    await client.rest('POST', `/api/v1/config?org=${owner}&repo=${name}`, configurationOf(batch));
  });
  for (const shop of shops) await pushAll(bench, shop);
  await inEachShop(bench, async ({ name, count }) => {
    for (let index = 1; index <= count; index += 1)
      await octokit.request('POST /repos/{owner}/{repo}/pulls', {
        owner,
        repo: name,
        title: `Change ${index}`,
        head: `change-${index}`,
        base: 'main',
      });
  });
  await inEachShop(bench, async (shop) => await untilChecked(bench, shop));
}

/**
 * Waits until CI has checked each head. The labels are added afterwards, because the emulator cannot check hundreds of
 * heads within a minute.
 */
async function untilChecked({ octokit }: Bench, { name, count }: Shop): Promise<void> {
  for (let index = 1; index <= count; index += 1)
    for (;;) {
      const { data } = await octokit.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
        owner,
        repo: name,
        ref: `change-${index}`,
      });
      if (data.check_runs.some(({ status }) => status === 'completed')) break;
      await delay(1_000);
    }
}

async function pushAll({ git, folder, person }: Bench, { name, count }: Shop): Promise<void> {
  const directory = join(folder, name);
  const text = (content: string): string => `data ${Buffer.byteLength(content)}\n${content}\n`;
  const author = 'committer Ada <ada@example.test> 1700000000 +0000\n';
  const branches = Array.from({ length: count }, (_, at) => at + 1).map((index) => {
    const file = isRed(index) ? `bad-${index}` : `file-${index}`;
    return `commit refs/heads/change-${index}\n${author}${text(`Change ${index}`)}from :1\nM 100644 inline ${file}\n${text(`${index}\n`)}`;
  });
  const stream = `commit refs/heads/main\nmark :1\n${author}${text('First')}M 100644 inline .github/workflows/ci.yml\n${text(workflow)}${branches.join('')}done\n`;
  await git(folder, 'init', '-q', '-b', 'main', '--bare', name);
  const importing = promisify(execFile)('git', ['fast-import', '--quiet', '--done'], { cwd: directory });
  importing.child.stdin?.end(stream);
  await importing;
  const remote = `${person.webUrl}/${owner}/${name}.git`;
  await git(directory, 'push', '-q', remote, 'main');
  await git(directory, 'push', '-q', remote, '--all');
}

export async function labelAll({ octokit, labelledAt }: Bench, { name, count }: Shop): Promise<void> {
  for (let issue_number = 1; issue_number <= count; issue_number += 1) {
    labelledAt.set(`${name}#${issue_number}`, Date.now());
    await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
      owner,
      repo: name,
      issue_number,
      labels: ['mergequeue'],
    });
  }
}
