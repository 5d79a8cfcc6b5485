// The local host fulfils the contract of a code host.
import { localWorld } from '../local-world.ts';
import { describeCodeHost } from './code-host.ts';

// Every user of an account may write to its repositories.
const speakers = [{ who: 'a writer', mayWrite: true }] as const;

describeCodeHost('local', { speakers }, async () => {
  const world = await localWorld();
  const { host, repository } = world;
  return {
    host,
    repository,
    push: async (input) => {
      const commit = world.commit(input);
      // This push bypasses the service. The reconciler of the host reports it like any other push.
      await host.reconcile(repository);
      return commit;
    },
    openOfFork: async ({ branch, head }) => {
      const opened = await host.openPullRequestOfFork(repository, {
        title: `Add ${branch}`,
        body: '',
        author: 'grace',
        headBranch: branch,
        baseBranch: 'main',
        draft: false,
        fork: { owner: 'grace', name: 'shop' },
        head,
      });
      return opened.number;
    },
    ciFiles: {
      '.service/ci.yml': JSON.stringify({ checks: { test: { run: 'true' } }, workflows: { deploy: { run: 'true' } } }),
    },
    workflow: 'deploy',
    conclude: async ({ commit, name, conclusion }) => {
      await world.sql(
        `update local_check_run set state = 'completed', conclusion = $3, started_at = now(), completed_at = now()
         where commit = $1 and name = $2 and state <> 'completed' and dispatch_key is null`,
        [commit, name, conclusion],
      );
    },
    // The checks of the file are the checks that the base requires.
    requireChecks: async () => {},
    comment: async ({ number, body }) => void (await host.addComment(repository, number, { author: 'grace', body })),
    close: async () => await world.close(),
  };
});
