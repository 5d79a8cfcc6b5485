// The chapter about releases. It builds candidates of what landed, deploys them by a command, rolls back, freezes an
// environment and forces a deployment. It checks the result of each step.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { playChapter, type Chapter } from './chapter.ts';
import { until } from './follow.ts';
import { commitFiles, type DemoRun } from './play.ts';
import { unsellable } from './scenario.ts';

interface Landing {
  readonly number: number;
  readonly title: string;
  readonly commit: string;
}

/** Returns a sentence for each fault. Empty: all is well. */
export async function playReleases(run: DemoRun): Promise<readonly string[]> {
  return await playChapter(run, 'What landed is released: candidates go to staging, then to production', play);
}

/**
 * What `npm start` plays: two candidates are deployed to production, so that a newcomer can roll production back.
 * Returns a sentence for each fault. Empty: all is well.
 */
export async function playFirstReleases(run: DemoRun): Promise<readonly string[]> {
  return await playChapter(run, 'What landed is released: two candidates go to production', async (chapter) => {
    await deployTwo(chapter, ['production']);
  });
}

async function play(chapter: Chapter): Promise<void> {
  const last = await deployTwo(chapter, ['staging', 'production']);
  if (last === null) return;
  await failAndGoBack(chapter, last);
  await takeOutOfProduction(chapter);
  await freezeAndForce(chapter);
  await printWhereItIs(chapter, last);
  await checkHistory(chapter);
}

/** Deploys the first and the newest landing. Returns the newest landing, or null if there are no landings. */
async function deployTwo(chapter: Chapter, environments: readonly string[]): Promise<Landing | null> {
  const landings = await readLandings(chapter);
  const [first, last] = [landings[0], landings.at(-1)];
  if (first === undefined || last === undefined) {
    chapter.expect('the number of landings', 0, 'any');
    return null;
  }
  await setUp(chapter, environments);
  for (const [version, commit] of [
    ['1.0-rc1', first.commit],
    ['1.1-rc1', last.commit],
  ] as const) {
    await makeCandidate(chapter, version, commit);
    for (const environment of environments) await deploy(chapter, { environment, version, should: 'success' });
  }
  return last;
}

/** The landings, in their order. */
async function readLandings({ client, scenario }: Chapter): Promise<Landing[]> {
  const { repository } = await client.graphql<{
    repository: { pullRequests: { nodes: { number: number; title: string; mergeCommit: string; mergedAt: string }[] } };
  }>(
    `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
       pullRequests(first: 100, filter: {statuses: [MERGED]}) { nodes { number title mergeCommit mergedAt } } } }`,
    { owner: scenario.owner, name: scenario.name },
  );
  return repository.pullRequests.nodes
    .toSorted((a, b) => Date.parse(a.mergedAt) - Date.parse(b.mergedAt) || a.number - b.number)
    .map(({ number, title, mergeCommit }) => ({ number, title, commit: mergeCommit }));
}

async function setUp({ client, scenario: { owner, name } }: Chapter, environments: readonly string[]): Promise<void> {
  await client.graphql(
    `mutation ($project: String!, $owner: String!) {
       createReleaseProject(input: {name: $project, repository: {owner: $owner, name: $project}, build: {kind: COMMAND, command: "sh check.sh"}}) { releaseProject { id } } }`,
    { project: name, owner },
  );
  for (const environment of environments)
    await client.graphql(
      `mutation ($input: CreateEnvironmentInput!) { createEnvironment(input: $input) { environment { id } } }`,
      {
        input: {
          project: name,
          name: environment,
          tier: environment.toUpperCase(),
          provider: { kind: 'COMMAND', command: 'sh deploy.sh' },
        },
      },
    );
}

async function makeCandidate(chapter: Chapter, version: string, commit: string): Promise<void> {
  const { client, scenario, print, expect } = chapter;
  await client.rest('POST', `/api/releases/${scenario.name}/releases/${version}`, {
    repo: `${scenario.owner}/${scenario.name}`,
    commit,
    trigger_build_workflow: true,
  });
  const { status, logged } = await until(`the build of ${version}`, async () => {
    const { releaseProject } = await client.graphql<{
      releaseProject: { releaseCandidate: { status: string; log: { nodes: { text: string }[] } } };
    }>(
      `query ($project: String!, $version: ReleaseCandidateVersion!) {
         releaseProject(name: $project) { releaseCandidate(version: $version) { status log { nodes { text } } } } }`,
      { project: scenario.name, version },
    );
    const { status: now, log } = releaseProject.releaseCandidate;
    return now === 'BUILDING'
      ? null
      : { status: now.toLowerCase(), logged: log.nodes.map(({ text }) => text).join('') };
  });
  print('candidate', `${version} at ${commit.slice(0, 8)}: built, ${status}`);
  expect(`candidate ${version}`, status, 'ready');
  expect(`the log of ${version} that was built`, logged.includes('orders/first:'), true);
}

interface Shown {
  readonly id: string;
  readonly release_candidate_version: string;
  readonly status: string;
  readonly error_message: string | null;
}

const final = ['success', 'failure', 'error', 'canceled', 'unknown'];

function pathOf({ scenario }: Chapter, environment: string): string {
  return `/api/releases/${scenario.name}/environments/${environment}`;
}

async function endOf(chapter: Chapter, environment: string, { id }: Pick<Shown, 'id'>): Promise<Shown> {
  return await until(`the deployment to ${environment}`, async () => {
    const shown = await chapter.client.rest<Shown[]>('GET', `${pathOf(chapter, environment)}/deployments`);
    return shown.find((each) => each.id === id && final.includes(each.status)) ?? null;
  });
}

async function deploy(chapter: Chapter, { environment, version, should }: Omit<Awaited, 'word'>): Promise<void> {
  const made = await chapter.client.rest<Shown>('POST', `${pathOf(chapter, environment)}/deployments`, {
    release_candidate_version: version,
  });
  await reportEnd(chapter, { environment, word: 'deployed', version, should }, made);
}

interface Awaited {
  readonly environment: string;
  readonly word: string;
  readonly version: string;
  readonly should: string;
}

async function reportEnd(
  chapter: Chapter,
  { environment, word, version, should }: Awaited,
  made: Pick<Shown, 'id'>,
): Promise<void> {
  const shown = await endOf(chapter, environment, made);
  const isBack = word === 'went back';
  const text = isBack
    ? `${environment} to ${shown.release_candidate_version}`
    : `${shown.release_candidate_version} to ${environment}`;
  if (shown.status === 'success') chapter.print(word, text);
  else chapter.print('failed', `${text}: ${shown.error_message ?? shown.status}`);
  chapter.expect(`what ${environment} got`, shown.release_candidate_version, version);
  chapter.expect(`${word} ${text}`, shown.status, should);
}

/** A candidate with green checks that cannot be deployed, and the rollback to the last deployed candidate. */
async function failAndGoBack(chapter: Chapter, last: Landing): Promise<void> {
  const { client, host } = chapter;
  const folder = await mkdtemp(`${tmpdir()}/interlock-demo-`);
  try {
    const git = async (...args: string[]): Promise<string> => await host.git(folder, ...args);
    await git('clone', '-q', host.remote, '.');
    await git('checkout', '-q', '-b', unsellable.branch, last.commit);
    await commitFiles(git, folder, { files: unsellable.files, message: unsellable.title });
    await git('push', '-q', host.remote, unsellable.branch);
    await makeCandidate(chapter, '1.2-rc1', await git('rev-parse', 'HEAD'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await deploy(chapter, { environment: 'staging', version: '1.2-rc1', should: 'failure' });
  const made = await client.rest<Shown>('POST', `${pathOf(chapter, 'staging')}/rollback`, {});
  await reportEnd(chapter, { environment: 'staging', word: 'went back', version: '1.1-rc1', should: 'success' }, made);
}

async function takeOutOfProduction(chapter: Chapter): Promise<void> {
  const { client, scenario, print, expect } = chapter;
  const { releaseProject } = await client.graphql<{
    releaseProject: {
      environment: {
        rollback: {
          releaseCandidate: { version: string };
          changelog: { removed: { pullRequests: { number: number }[] } };
        } | null;
      };
    };
  }>(
    `query ($project: String!) { releaseProject(name: $project) { environment(name: "production") {
       rollback { releaseCandidate { version } changelog { removed { pullRequests { number } } } } } } }`,
    { project: scenario.name },
  );
  const { rollback } = releaseProject.environment;
  const numbers = (rollback?.changelog.removed.pullRequests ?? []).map(({ number }) => `#${number}`);
  print(
    'rollback',
    `of production would go to ${rollback?.releaseCandidate.version} and take out ${numbers.join(' ')}`,
  );
  expect('whether a rollback takes something out', numbers.length > 0, true);
  const made = await client.rest<Shown>('POST', `${pathOf(chapter, 'production')}/rollback`, {});
  await reportEnd(
    chapter,
    { environment: 'production', word: 'went back', version: '1.0-rc1', should: 'success' },
    made,
  );
}

async function freezeAndForce(chapter: Chapter): Promise<void> {
  const { client, scenario, print, expect } = chapter;
  await client.rest('PUT', `${pathOf(chapter, 'production')}/freeze`, { reason: 'Tea time' });
  const version = '1.1-rc1';
  const refused = await client
    .rest('POST', `${pathOf(chapter, 'production')}/deployments`, { release_candidate_version: version })
    .then(
      () => 'accepted',
      (error: Error) => error.message,
    );
  print('frozen', `production, for tea time: ${version} is refused`);
  expect(
    'a deployment to a frozen environment',
    refused.includes('Environment is frozen') ? 'refused' : refused,
    'refused',
  );
  const { createDeployment } = await client.graphql<{ createDeployment: { deployment: { id: string } } }>(
    `mutation ($input: CreateDeploymentInput!) { createDeployment(input: $input) { deployment { id } } }`,
    { input: { project: scenario.name, environment: 'production', version, force: true } },
  );
  await reportEnd(
    chapter,
    { environment: 'production', word: 'forced', version, should: 'success' },
    createDeployment.deployment,
  );
  await client.rest('DELETE', `${pathOf(chapter, 'production')}/freeze`);
}

async function printWhereItIs({ client, scenario, print, expect }: Chapter, landing: Landing): Promise<void> {
  const { repository } = await client.graphql<{
    repository: { pullRequest: { environments: { environment: { name: string }; since: string }[] } };
  }>(
    `query ($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) {
       pullRequest(number: $number) { environments { environment { name } since } } } }`,
    { owner: scenario.owner, name: scenario.name, number: landing.number },
  );
  const places = repository.pullRequest.environments.map(
    ({ environment, since }) => `${environment.name} since ${since.slice(11, 19)}`,
  );
  print('runs', `#${landing.number} ${landing.title}: in ${places.join(', in ')}`);
  expect(`the number of environments #${landing.number} runs in`, places.length, 2);
}

const histories = {
  staging: ['1.0-rc1 success', '1.1-rc1 success', '1.2-rc1 failure', '1.1-rc1 success'],
  production: ['1.0-rc1 success', '1.1-rc1 success', '1.0-rc1 success', '1.1-rc1 success'],
} as const;

async function checkHistory(chapter: Chapter): Promise<void> {
  for (const [environment, should] of Object.entries(histories)) {
    const shown = await chapter.client.rest<Shown[]>('GET', `${pathOf(chapter, environment)}/deployments`);
    const history = shown.map((each) => `${each.release_candidate_version} ${each.status}`).toReversed();
    chapter.expect(`the history of ${environment}`, history.join(', '), should.join(', '));
  }
}
