// Makes the release project that the cases use.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { TestServer } from '../../support/server.ts';
import { examplesFile } from './examples.ts';
import { ask, type Installation, type PreparedRepository } from './repository.ts';

export interface PreparedReleases {
  readonly project: string;
  readonly staging: string;
  /** A commit in the repository of the project. */
  readonly commit: string;
  readonly 'other-commit': string;
}

/** Creates the candidate of the recorded example. No repository has its commit, because recorded examples name none. */
export async function prepareExampleCandidate(server: TestServer, releases: PreparedReleases): Promise<void> {
  const { CreateRelease: example } = parse(readFileSync(examplesFile, 'utf8')) as {
    readonly CreateRelease: {
      readonly parameters: { readonly release_candidate_version: string };
      readonly request: { readonly commit: string };
    };
  };
  const { release_candidate_version: version } = example.parameters;
  await ask(server, 'mutation ($input: CreateReleaseInput!) { createRelease(input: $input) { __typename } }', {
    project: releases.project,
    version,
    repository: 'acme/web',
    commit: releases.commit,
  });
  await server.rows('update release_candidate set commit = $1 where account_id = $2 and version = $3', [
    example.request.commit,
    server.accountId,
    version,
  ]);
}

/** Reports two successful deployments one after the other, so that a rollback has a target. */
export async function prepareHistory(server: TestServer, { project }: PreparedReleases): Promise<void> {
  for (const version of ['1.2-rc1', '1.3-rc1'])
    await server.rest('PATCH', `/api/releases/${project}/environments/production/deployments`, {
      body: { release_candidate_version: version, status: 'success' },
    });
}

const branchHead = `query ($input: Int!) { repository(owner: "acme", name: "web") { pullRequest(number: $input) { headCommitSha } } }`;

/** Makes a project of `acme/web` with two environments to which only reports deploy. */
export async function prepareReleases(
  at: Installation,
  { org, name, number }: Pick<PreparedRepository, 'org' | 'name' | 'number'>,
): Promise<PreparedReleases> {
  const [project, staging] = ['Web', 'staging'];
  const mutation = async (field: string, type: string, input: object): Promise<unknown> =>
    await ask(at, `mutation ($input: ${type}!) { ${field}(input: $input) { __typename } }`, input);
  await mutation('createReleaseProject', 'CreateReleaseProjectInput', {
    name: project,
    repository: { owner: org, name },
  });
  for (const environment of [staging, 'production']) {
    await mutation('createEnvironment', 'CreateEnvironmentInput', {
      project,
      name: environment,
      provider: { kind: 'NONE' },
    });
  }
  const found = await ask<{ repository: { pullRequest: { headCommitSha: string } } }>(at, branchHead, number);
  const commit = found.repository.pullRequest.headCommitSha;
  for (const version of ['1.2-rc1', '1.3-rc1'])
    await mutation('createRelease', 'CreateReleaseInput', { project, version, repository: `${org}/${name}`, commit });
  return { project, staging, commit, 'other-commit': await tipOf(at, { org, name }) };
}

/** Returns the tip of `main`, read with git. */
async function tipOf(
  { url, token }: Installation,
  { org, name }: { readonly org: string; readonly name: string },
): Promise<string> {
  const response = await fetch(`${url}/git/${org}/${name}.git/info/refs?service=git-upload-pack`, {
    headers: { authorization: `Basic ${Buffer.from(`ada:${token}`).toString('base64')}` },
  });
  const tip = /([0-9a-f]{40}) refs\/heads\/main\n/.exec(await response.text())?.[1];
  if (tip === undefined) throw new Error('main has no commit');
  return tip;
}
