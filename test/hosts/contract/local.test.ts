// The local host keeps the contract of a code host.
import { localWorld } from '../local-world.ts';
import { describeCodeHost } from './code-host.ts';

describeCodeHost('local', async () => {
  const world = await localWorld();
  const { host, repository } = world;
  return {
    host,
    repository,
    push: async (input) => {
      const commit = world.commit(input);
      // A push past the service: its reconciler tells of it as of any other.
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
    close: async () => await world.close(),
  };
});
