// Users push `.service/config.yml` to the default branch with git over HTTP, and read what became of it.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/context.ts';
import { makeRepository, openPullRequest } from '../rest/contract/repository.ts';
import { problemsOfPayloads } from '../rest/contract/payloads.ts';
import { everyScopeBut, startServer, type TestServer } from '../support/server.ts';
import { configurationYaml, parallel, world } from '../support/world.ts';
import { meanwhile } from './stories.ts';

const run = promisify(execFile);
const mallory = {
  GIT_AUTHOR_NAME: 'The Boss',
  GIT_AUTHOR_EMAIL: 'boss@example.test',
  GIT_COMMITTER_NAME: 'The Boss',
  GIT_COMMITTER_EMAIL: 'boss@example.test',
};

describe('a configuration that is pushed', () => {
  let s: TestServer;
  let work = '';
  let name = '';
  let repositories = 0;
  beforeAll(async () => {
    s = await startServer();
  });
  afterAll(async () => await s.close());
  beforeEach(async () => {
    name = `shop${(repositories += 1)}`;
    await makeRepository(s, { owner: 'acme', name });
    work = await mkdtemp(join(tmpdir(), 'interlock-configuration-'));
    await git('init', '-q', '-b', 'main');
    await commit('README.md', 'shop\n');
    await push('main');
    return async () => await rm(work, { recursive: true });
  });

  const git = async (...args: string[]): Promise<string> =>
    (
      await run('git', args, { cwd: work, env: { ...process.env, ...mallory, GIT_TERMINAL_PROMPT: '0' } })
    ).stdout.trim();
  const commit = async (path: string, text: string): Promise<string> => {
    await mkdir(join(work, path, '..'), { recursive: true });
    await writeFile(join(work, path), text);
    await git('add', '-A');
    await git('commit', '-q', '-m', `Change ${path}`);
    return await git('rev-parse', 'HEAD');
  };
  /** What git prints to the user. */
  const push = async (branch: string, token = s.token): Promise<string> => {
    const remote = new URL(`${s.url}/git/acme/${name}.git`);
    Object.assign(remote, { username: 'x', password: token });
    const args = ['push', remote.href, branch];
    const { stderr } = await run('git', args, { cwd: work, env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } });
    await s.drain();
    return stderr;
  };
  const tokenOf = async (...without: Scope[]): Promise<string> => await s.tokenWith(everyScopeBut('admin', ...without));
  const inForce = async (): Promise<string> =>
    await (await s.rest('GET', `/api/v1/config?org=acme&repo=${name}`)).text();
  const history = async (): Promise<{ applied_by: unknown; commit_sha: string }[]> => {
    const answer = await s.rest('GET', `/api/v1/config/history?org=acme&repo=${name}`);
    return ((await answer.json()) as { history: { applied_by: unknown; commit_sha: string }[] }).history;
  };
  const refusal = async (): Promise<{ commitSha: string; ghUsername: string; errors: string[] } | null> => {
    const { data } = await s.graphql<{ repository: { configurationRefusal: never } }>(
      `{ repository(owner: "acme", name: "${name}") { configurationRefusal { commitSha ghUsername errors } } }`,
    );
    return data.repository.configurationRefusal;
  };
  const events = async (action: string): Promise<{ payload: Record<string, unknown> }[]> =>
    await s.rows(
      'select e.payload from event e join repository r on r.id = e.repository_id where r.name = $1 and e.action = $2',
      [name, action],
    );
  const path = '.service/config.yml';
  const pushed = configurationYaml(parallel({ builds: 5 }));

  it('names the user whose token pushed it, and the commit that changed the file', async () => {
    const changing = await commit(path, pushed);
    await commit('other.txt', 'x\n');
    expect(await push('main')).toContain('remote: Interlock: .service/config.yml is in force.');
    expect(await inForce()).toBe(pushed);
    expect(await history()).toMatchObject([{ applied_by: { gh_username: 'service@acme.test' }, commit_sha: changing }]);
    const [event] = await events('config_change');
    expect(event?.payload).toMatchObject({ ghUsername: 'service@acme.test', commitSha: changing });
  });

  it('is read only if the blob of the file changed', async () => {
    await commit(path, pushed);
    await push('main');
    const posted = configurationYaml(parallel({ builds: 3 }));
    await s.rest('POST', `/api/v1/config?org=acme&repo=${name}`, {
      body: posted,
      headers: { 'content-type': 'application/yaml' },
    });
    await commit('other.txt', 'x\n');
    expect(await push('main')).not.toContain('Interlock');
    expect(await inForce()).toBe(posted);
  });

  it('stays in force if a slow reader has read an older content', async () => {
    const newest = configurationYaml(parallel({ builds: 7 }));
    const pushText = async (text: string): Promise<void> => {
      await commit(path, text);
      await push('main');
    };
    await meanwhile(
      'configuration:read',
      async () => await pushText(newest),
      async () => await pushText(pushed),
    );
    expect(await inForce()).toBe(newest);
    // Later reads would correct an older content. It was never in force.
    expect(await history()).toHaveLength(1);

    await meanwhile(
      'configuration:read',
      async () => await pushText(pushed),
      async () => await pushText('merge_rules: [\n'),
    );
    expect(await inForce()).toBe(pushed);
    expect(await history()).toHaveLength(2);
    expect(await events('configuration_refused')).toEqual([]);
  });

  it('stays in force if a slow reader has read a change that was reverted since', async () => {
    const pushText = async (text: string): Promise<void> => {
      await commit(path, text);
      await push('main');
    };
    await pushText(pushed);
    for (const reverted of [configurationYaml(parallel({ builds: 7 })), 'merge_rules: [\n']) {
      const revert = async (): Promise<void> => {
        // Another reader reads the change.
        await commit('other.txt', reverted);
        await push('main');
        await pushText(pushed);
      };
      await meanwhile('configuration:read', revert, async () => await pushText(reverted));
      expect([await inForce(), await refusal()]).toEqual([pushed, null]);
    }
    expect(await history()).toHaveLength(3);
    expect(await events('configuration_refused')).toHaveLength(1);
  });

  it('is refused if the token lacks the scope config:write, as in the API', async () => {
    const before = await inForce();
    const changing = await commit(path, pushed);
    const said = await push('main', await tokenOf('config:write'));
    expect(said).toContain('remote: Interlock: .service/config.yml is refused.');
    expect(said).toContain('lacks the scope config:write');
    expect(await inForce()).toBe(before);
    expect(await history()).toEqual([]);
    expect(await refusal()).toMatchObject({ commitSha: changing, errors: [expect.stringContaining('config:write')] });
    const put = configurationYaml(parallel({ builds: 7 }));
    await commit(path, put);
    await push('main', await tokenOf());
    expect([await inForce(), await refusal()]).toEqual([put, null]);
  });

  it('is refused too if a pull request brings it and its pusher lacks the scope; otherwise the pusher is named', async () => {
    const before = await inForce();
    await git('checkout', '-q', '-b', 'sneaky');
    await commit(path, pushed);
    await push('sneaky', await tokenOf('config:write'));
    await land('sneaky');
    expect(await git('show', `${await tip()}:${path}`)).toBe(pushed.trimEnd());
    expect(await inForce()).toBe(before);
    await git('checkout', '-q', '-b', 'honest', await tip());
    const put = configurationYaml(parallel({ builds: 7 }));
    await commit(path, put);
    await push('honest', await tokenOf());
    await land('honest');
    expect(await inForce()).toBe(put);
    expect(await history()).toMatchObject([
      { applied_by: { gh_username: 'service@acme.test' }, commit_sha: await tip() },
    ]);
  });

  describe('of a token without the scope config:write', () => {
    const newer = configurationYaml(parallel({ builds: 7 }));
    let older = '';
    beforeEach(async () => {
      older = await commit(path, pushed);
      await push('main');
      await commit(path, newer);
      await push('main');
    });

    it('is not in force when a merge brings back an older version', async () => {
      await git('checkout', '-q', '--detach', older);
      await git('merge', '-q', '-s', 'ours', '-m', 'Merge main', 'main');
      await git('branch', '-f', 'main', 'HEAD');
      expect(await push('main', await tokenOf('config:write'))).toContain('lacks the scope config:write');
      expect([await git('show', `${await tip()}:${path}`), await inForce()]).toEqual([pushed.trimEnd(), newer]);
    });

    it('is not in force when a pull request brings back an older version', async () => {
      await git('checkout', '-q', '-b', 'stale', older);
      await git('merge', '-q', '-s', 'ours', '-m', 'Merge main', 'main');
      await push('stale', await tokenOf('config:write'));
      await land('stale');
      expect([await git('show', `${await tip()}:${path}`), await inForce()]).toEqual([pushed.trimEnd(), newer]);
      expect((await refusal())?.errors).toEqual([
        expect.stringContaining('no push of this change by a token with the scope config:write is known'),
      ]);
    });

    it('is not in force when its branch is set back from a merge to the commit of the change', async () => {
      const token = await tokenOf('config:write');
      await git('checkout', '-q', '-b', 'side');
      const change = await commit(path, pushed);
      await git('checkout', '-q', '-b', 'back', 'main');
      await git('merge', '-q', '--no-ff', '-s', 'ours', '-m', 'Merge side', 'side');
      await push('back', token);
      await push(`+${change}:refs/heads/back`, token);
      await land('back');
      expect([await git('show', `${await tip()}:${path}`), await inForce()]).toEqual([pushed.trimEnd(), newer]);
    });

    it('moves no branch if the push cannot be recorded', async () => {
      const before = await tip();
      await git('checkout', '-q', 'main');
      await commit(path, pushed);
      const token = await tokenOf('config:write');
      await asOwner('alter table local_configuration_push rename to gone');
      await expect(push('main', token)).rejects.toThrow('500');
      await asOwner('alter table gone rename to local_configuration_push');
      expect(await tip()).toBe(before);
    });
  });

  async function asOwner(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: s.databaseUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  async function land(branch: string): Promise<void> {
    const repository = { owner: 'acme', name };
    const number = await openPullRequest(s, { repository, title: branch, headBranch: branch, baseBranch: 'main' });
    await s.rest('POST', '/api/v1/pull_request', {
      body: {
        action: 'queue',
        pull_request: { number, repository: { org: 'acme', name }, skip_validation: true },
      },
    });
    await s.drain();
    const { data } = await s.graphql<{ repository: { pullRequest: { status: string } } }>(
      `{ repository(owner: "acme", name: "${name}") { pullRequest(number: ${number}) { status } } }`,
    );
    expect(data.repository.pullRequest.status).toBe('MERGED');
    // The landing is a push to the base branch, which the service handles here.
    await s.drain();
  }

  async function tip(): Promise<string> {
    const remote = new URL(`${s.url}/git/acme/${name}.git`);
    Object.assign(remote, { username: 'x', password: s.token });
    await git('fetch', '-q', remote.href, 'main');
    return await git('rev-parse', 'FETCH_HEAD');
  }

  it('that is refused changes nothing, and git, the API, an event and the check show why', async () => {
    const before = await inForce();
    const changing = await commit(path, 'merge_rules:\n  lables: {}\n');
    const head = await commit('other.txt', 'x\n');
    const said = await push('main');
    expect(said).toContain('remote: Interlock: .service/config.yml is refused.');
    expect(said).toContain('remote:   mergeRules -> lables: ');
    expect(await inForce()).toBe(before);
    const refused = await refusal();
    expect(refused).toMatchObject({ commitSha: changing, ghUsername: 'service@acme.test' });
    const errors = refused?.errors ?? [];
    expect(errors).toEqual([
      'mergeRules -> labels -> trigger: is required',
      'mergeRules -> lables: is not a known key; the nearest known key is labels',
    ]);
    const [event, another] = await events('configuration_refused');
    expect(event?.payload).toMatchObject({ commitSha: changing, errors });
    expect(another).toBeUndefined();
    const sent = [{ action: 'configuration_refused', payload: event?.payload ?? {} }];
    expect(problemsOfPayloads(sent, { owner: 'acme', name })).toEqual([]);
    for (const sha of [changing, head]) {
      const checks = await s.rows('select state, summary from local_status_check where commit = $1 and name = $2', [
        sha,
        'interlock/configuration',
      ]);
      expect(checks).toEqual([{ state: 'failure', summary: errors.map((error) => `- ${error}`).join('\n') }]);
    }
  });
});

it('a configuration that was committed without a push to the service is in force, and names nobody', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  const pushed = configurationYaml(parallel({ builds: 5 }));
  const commit = await w.commit('main', { '.service/config.yml': pushed });
  const [change] = await w.rows(
    'select yaml, gh_username, commit_sha, email from configuration_change order by id desc limit 1',
  );
  expect(change).toEqual({ yaml: pushed, gh_username: null, commit_sha: commit, email: null });
});
