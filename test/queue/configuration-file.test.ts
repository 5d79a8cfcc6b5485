import { expect, it } from 'vitest';
import { configurationYaml, parallel, world } from '../support/world.ts';

const current = async (w: Awaited<ReturnType<typeof world>>): Promise<string> =>
  (await w.rows<{ configuration_yaml: string }>('select configuration_yaml from repository'))[0]?.configuration_yaml ??
  '';

it('a configuration pushed to the default branch is taken over when its blob changed, and only then', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  const pushed = configurationYaml(parallel({ builds: 5 }));
  const commit = await w.commit('main', { '.service/config.yml': pushed });
  await w.until(async () => (await current(w)) === pushed);
  const [change] = await w.rows(
    'select gh_username, commit_sha, email from configuration_change order by id desc limit 1',
  );
  expect(change).toEqual({ gh_username: 'Ada', commit_sha: commit, email: null });
  const posted = configurationYaml(parallel({ builds: 3 }));
  await w.configure(parallel({ builds: 3 }));
  await w.commit('main', { 'other.txt': 'x\n' });
  await w.until(async () => (await w.events()).filter(([action]) => action === 'base_moved').length >= 2);
  expect(await current(w)).toBe(posted);
});

it('one that is refused changes nothing and says why', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  const before = await current(w);
  await w.commit('main', { '.service/config.yml': 'merge_rules:\n  lables: {}\n' });
  await w.until(async () => (await w.events()).some(([action]) => action === 'configuration_refused'));
  expect(await current(w)).toBe(before);
  const [event] = await w.rows<{ payload: { errors: string[] } }>(
    "select payload from event where action = 'configuration_refused'",
  );
  expect(event?.payload.errors.join(' ')).toContain('mergeRules -> lables');
});
