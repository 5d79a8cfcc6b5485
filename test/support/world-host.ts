// The code host of a world, from outside: what people and CI do there, and what users see there. Tests of the engine that
// keep to these verbs run on every host. `HOST` names the host; without it a world has a local one.
import { createCiRunner } from '../../src/hosts/local/index.ts';
import type { HostPullRequest, HostRepository, PublishedHostCheck } from '../../src/hosts/port.ts';
import type { MergeStrategy } from '../../src/domain/queue/model/snapshot.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import type { Service } from '../../src/service.ts';
import { commitAsUser, type UserCommit } from './user-commits.ts';

export interface WorldHost {
  readonly repository: HostRepository;
  /** The bare repository to which people push. */
  readonly gitDir: string;
  readonly git: (...args: string[]) => Promise<string>;
  /** A person pushes a commit. The host has told of it, and the service has followed, when this resolves. */
  readonly commit: (commit: UserCommit) => Promise<string>;
  readonly review: (
    number: number,
    review: { readonly reviewer: string; readonly verdict: 'approved' | 'changes_requested' | 'dismissed' },
  ) => Promise<void>;
  readonly close: (number: number) => Promise<void>;
  readonly label: (number: number, label: string, present: boolean, by?: string) => Promise<void>;
  /** A person merges by the host's own button. */
  readonly merge: (
    number: number,
    merge: { readonly expectedHead: string; readonly strategy: MergeStrategy; readonly message: string },
  ) => Promise<void>;
  /** As the host shows it. */
  readonly pullRequest: (number: number) => Promise<HostPullRequest | null>;
  /** What the service wrote on it, with the keys by which it edits its comments, in the order they were begun. */
  readonly comments: (number: number) => Promise<{ readonly key: string; readonly body: string }[]>;
  /** The checks that the service reported on a commit. */
  readonly publishedChecks: (commit: string) => Promise<readonly PublishedHostCheck[]>;
  readonly startCi: () => void;
  readonly stop: () => Promise<void>;
}

/** What a host of a world is made of. The service runs, and its repository has its first commit. */
export interface WorldHostStart {
  readonly service: Service;
  readonly repository: HostRepository;
  readonly onError: (error: unknown) => void;
}

type MakeWorldHost = (start: WorldHostStart) => Promise<WorldHost>;

const makers: Readonly<Record<string, MakeWorldHost>> = { local: makeLocalHost };

export async function makeWorldHost(start: WorldHostStart): Promise<WorldHost> {
  const name = process.env['HOST'] ?? 'local';
  const make = makers[name];
  if (make === undefined) throw new Error(`HOST is ${name}; worlds have ${Object.keys(makers).join(', ')}.`);
  return await make(start);
}

const ada = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.test',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.test',
};

async function makeLocalHost({ service, repository, onError }: WorldHostStart): Promise<WorldHost> {
  const host = service.localHost;
  const { git, directoryOf } = host.installation;
  const gitDir = directoryOf(repository);
  const found = await findSandbox({ allowPlain: true, kinds: ['plain'] });
  if (found.sandbox === null) throw new Error(found.said);
  const runner = createCiRunner({ host, sandbox: found.sandbox, concurrency: 4, onError });
  return {
    repository,
    gitDir,
    git: async (...args) => await git.text(gitDir, args, { env: ada }),
    commit: async (commit) => {
      const id = await commitAsUser(git, gitDir, commit);
      // A push past the service: the host's reconciler tells of it as it would of any other.
      await host.reconcile(repository);
      await service.settle();
      return id;
    },
    review: async (number, review) => await host.reviewPullRequest(repository, number, review),
    close: async (number) => await host.closePullRequest(repository, number),
    label: async (number, label, present, by) => await host.setLabel(repository, number, label, present, by),
    merge: async (number, merge) =>
      void (await host.mergePullRequest(repository, number, { ...merge, unlessRef: null })),
    pullRequest: async (number) => await host.getPullRequest(repository, number),
    comments: async (number) => (await host.listComments(repository, number)).map(({ key, body }) => ({ key, body })),
    publishedChecks: async (commit) => await host.listPublishedChecks(repository, commit),
    startCi: () => runner.start(),
    stop: async () => await runner.stop(),
  };
}
