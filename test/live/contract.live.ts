// Tests the contract of a code host with the host `github` at GitHub itself.
import { afterAll } from 'vitest';
import { describeCodeHost } from '../hosts/contract/code-host.ts';
import { ciFiles, type LiveWorld, openLiveWorld } from './live-world.ts';
import { readSettings } from './settings.ts';

const settings = readSettings(process.env);
const writer = { who: 'a writer', mayWrite: true } as const;
const speakers = settings.strangerToken === null ? [writer] : [writer, { who: 'a stranger', mayWrite: false } as const];

let opened: Promise<LiveWorld> | null = null;
afterAll(async () => await (await opened)?.close());

describeCodeHost('github, live', { speakers }, async () => {
  opened ??= openLiveWorld(settings);
  const w = await opened;
  const { person, stranger, place } = w;
  const { repository, directory, push } = await w.empty();
  return {
    host: w.host,
    repository,
    push,
    ciFiles,
    workflow: 'deploy.yml',
    conclude: async ({ commit, conclusion }) => await w.conclude({ commit, conclusion }),
    requireChecks: async (branch, contexts) => {
      await person.repos.updateBranchProtection({
        ...place,
        branch,
        required_status_checks: { strict: false, contexts: [...contexts] },
        enforce_admins: true,
        required_pull_request_reviews: null,
        restrictions: null,
      });
    },
    comment: async ({ number, body, by }) => {
      const speaker = by === 'a writer' ? person : (stranger ?? person);
      await speaker.issues.createComment({ ...place, issue_number: number, body });
    },
    openOfFork: async ({ branch, head }) => {
      const { data: fork } = await person.repos.createFork({ ...place, name: `fork-of-${place.repo}` });
      // GitHub may take some time to copy the repository.
      await waitFor(async () => (await w.pushTo(directory, fork.full_name, `+${head}:refs/heads/${branch}`)) === null);
      const { data } = await person.pulls.create({
        ...place,
        title: `Add ${branch}`,
        head: `${fork.owner.login}:${branch}`,
        base: 'main',
      });
      return data.number;
    },
    close: async () => await Promise.resolve(),
  };
});

async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  throw new Error('The fork is not there after two minutes.');
}
