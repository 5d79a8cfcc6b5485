// What people who sign in at GitHub may do with releases: GitHub's permission in the repository of the project decides.
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../../accounts/browser.ts';
import { operations, type Operation } from '../../accounts/operations.ts';
import { encodeNodeId } from '../../../src/graphql/node-id.ts';
import { seedRelease } from '../../releases/release-rows.ts';
import { appWorld, type AppWorld } from './app-world.ts';
import { answerTo, signInAs } from './signed-in.ts';

let w: AppWorld;
/** Reads `shop`, and does not see `vault`. Maintains `shop`. Both have the role of an admin. */
let reader: Browser;
let maintainer: Browser;
let ids: Record<'shop' | 'vault', { readonly deployment: string; readonly freeze: string }>;

beforeAll(async () => {
  w = await appWorld();
  await w.addFirstApp();
  const owner = new Octokit({ baseUrl: w.emulator.apiUrl, auth: w.emulator.token });
  for (const name of ['shop', 'vault']) {
    await w.emulator.addRepository(name);
    await w.syncAll();
    await w.activate(name);
  }
  for (const [username, permission] of [
    ['rea', 'pull'],
    ['mia', 'maintain'],
  ] as const) {
    w.emulator.addPerson(username);
    await owner.repos.addCollaborator({ owner: 'acme', repo: 'shop', username, permission });
  }
  ids = { shop: await seed('shop'), vault: await seed('vault') };
  reader = (await signInAs(w, 'rea')).browser;
  maintainer = (await signInAs(w, 'mia')).browser;
  // The roles stay, because GitHub does not answer who is in the organization.
  w.emulator.controls.fail({ operation: 'GET /orgs/{org}/memberships/{username}', status: 503 });
  w.later(6);
  await w.rows("update account_user set role = 'admin' where handle in ('rea', 'mia')");
});
afterAll(async () => await w.close());

async function seed(name: string): Promise<{ readonly deployment: string; readonly freeze: string }> {
  const [repository] = await w.rows<{ id: string }>('select id from repository where name = $1', [name]);
  const { accountId } = w.ctx;
  const { environmentId, deploymentId } = await seedRelease(
    { ...w, accountId },
    { repositoryId: repository?.id ?? '', name },
  );
  const [freeze] = await w.rows<{ id: string }>(
    `insert into freeze_rule (account_id, environment_id, source, starts_at, created_by, created_at)
     values ($1, $2, 'manual', now(), 'somebody', now()) returning id`,
    [accountId, environmentId],
  );
  return { deployment: encodeNodeId('Deployment', deploymentId), freeze: encodeNodeId('Freeze', freeze?.id ?? '') };
}

const ofReleases = operations
  .filter(({ field, document }) => field.startsWith('Mutation.') && /\$(project|deployment|freeze)\b/.test(document))
  .map((operation) => [operation.field, operation] as const);

const ask = async (browser: Browser, { document }: Operation, project: 'shop' | 'vault') =>
  await answerTo(browser, document, { project, ...ids[project] });

/** Everything that a refused operation must leave as it is. */
const stored = async (): Promise<unknown> =>
  await Promise.all(
    ['release_project', 'environment', 'release_candidate', 'deployment', 'freeze_rule'].map(
      async (table) => await w.rows(`select to_jsonb(t) as row from ${table} t order by t.id`),
    ),
  );

describe('GitHub decides who may release', () => {
  it('by every mutation of releases', () => {
    expect(ofReleases.map(([field]) => field.replace('Mutation.', '')).toSorted()).toEqual([
      'cancelDeployment',
      'createDeployment',
      'createEnvironment',
      'createFreezeSchedule',
      'createRelease',
      'deleteFreeze',
      'freezeEnvironment',
      'reportDeployment',
      'rollBackEnvironment',
      'unfreezeEnvironment',
      'updateEnvironment',
      'updateReleaseProject',
    ]);
  });

  it.each(ofReleases)('%s is refused to a reader, whatever the role', async (_field, operation) => {
    const before = await stored();
    expect(await ask(reader, operation, 'shop')).toEqual([
      ['FORBIDDEN', 'This needs the permission maintain in acme/shop at GitHub; rea has read.'],
    ]);
    expect(await stored()).toEqual(before);
  });

  it.each(ofReleases)(
    '%s answers as for an unknown name, where the repository is hidden',
    async (_field, operation) => {
      const before = await stored();
      const unknown = await answerTo(reader, operation.document, {
        project: 'none',
        deployment: encodeNodeId('Deployment', '999999'),
        freeze: encodeNodeId('Freeze', '999999'),
      });
      expect(unknown).toEqual([['NOT_FOUND', expect.stringMatching(/ not found$/)]]);
      expect(await ask(reader, operation, 'vault')).toEqual(unknown);
      expect(await stored()).toEqual(before);
    },
  );

  it('hides the end of a freeze of base branches in a hidden repository', async () => {
    const [freeze] = await w.rows<{ id: string }>(
      `insert into freeze_rule (account_id, repository_id, base_branches, source, starts_at, created_by, created_at)
       select account_id, id, 'main', 'manual', now(), 'somebody', now() from repository where name = 'vault' returning id`,
    );
    const end = 'mutation ($id: ID!) { deleteFreeze(input: {id: $id}) { freeze { id } } }';
    expect(await answerTo(reader, end, { id: encodeNodeId('Freeze', freeze?.id ?? '') })).toEqual([
      ['NOT_FOUND', 'Freeze not found'],
    ]);
  });

  it('shows the freeze of an environment by its id only to people who see the repository', async () => {
    const read = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    const { shop, vault } = ids;
    expect(await answerTo(reader, read, { ids: [shop.freeze, vault.freeze] })).toEqual({
      nodes: [{ id: shop.freeze }, null],
    });
  });

  it('is shown by viewerCan of an environment, with the message of a refusal', async () => {
    const read =
      '{ releaseProject(name: "shop") { environment(name: "production") { viewerCan { allowed sentence } } } }';
    const sentence = 'This needs the permission maintain in acme/shop at GitHub; rea has read.';
    const answers = (each: object): object => ({
      releaseProject: { environment: { viewerCan: Array.from({ length: 4 }, () => each) } },
    });
    expect(await answerTo(reader, read)).toEqual(answers({ allowed: false, sentence }));
    expect(await answerTo(maintainer, read)).toEqual(answers({ allowed: true, sentence: null }));
  });

  it('lets a maintainer freeze, end the freeze and cancel a deployment', async () => {
    const change = `mutation ($deployment: ID!, $freeze: ID!) {
      deleteFreeze(input: {id: $freeze}) { freeze { id } }
      freezeEnvironment(input: {project: "shop", environment: "production"}) { freeze { source } }
      unfreezeEnvironment(input: {project: "shop", environment: "production"}) { deleted }
      cancelDeployment(input: {id: $deployment}) { deployment { status } }
    }`;
    expect(await answerTo(maintainer, change, ids.shop)).toEqual({
      deleteFreeze: { freeze: { id: ids.shop.freeze } },
      freezeEnvironment: { freeze: { source: 'MANUAL' } },
      unfreezeEnvironment: { deleted: 1 },
      cancelDeployment: { deployment: { status: expect.stringMatching(/^CANCEL/) } },
    });
  });
});
