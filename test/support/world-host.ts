// Gives a test access to the code host of its world (world.ts): what people and CI do, and what users see. A test of the
// engine that uses only these functions can run on every host. `HOST` names the host; without it a world has a local one.
import type { Context } from '../../src/context.ts';
import { createCiRunner } from '../../src/hosts/local/index.ts';
import type { HostedRepository, HostPullRequest, HostRepository, PublishedHostCheck } from '../../src/hosts/port.ts';
import type { MergeStrategy } from '../../src/domain/queue/model/rules.ts';
import { openPullRequest, syncPullRequest } from '../../src/modules/queue/index.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import type { Service } from '../../src/service.ts';
import { commitAsUser, type UserCommit } from './user-commits.ts';

export interface WorldHost {
  readonly repository: HostRepository;
  /** The committer of the commits that the service makes. */
  readonly committer: string;
  /** The address of the page of a pull request. */
  readonly pageOf: (number: number) => string;
  /** The bare repository to which people push. */
  readonly gitDir: string;
  readonly git: (...args: string[]) => Promise<string>;
  /** A person pushes a commit. Resolves when the host has reported the push and the service has handled the report. */
  readonly commit: (commit: UserCommit) => Promise<string>;
  /**
   * A person opens a pull request of a pushed branch. Returns its number when the service has read the pull request.
   */
  readonly open: (pullRequest: {
    readonly title: string;
    readonly headBranch: string;
    readonly baseBranch: string;
  }) => Promise<number>;
  /** A person picks another base branch. Resolves when the service has read the change. */
  readonly retarget: (number: number, baseBranch: string) => Promise<void>;
  readonly review: (
    number: number,
    review: { readonly reviewer: string; readonly verdict: 'approved' | 'changes_requested' | 'dismissed' },
  ) => Promise<void>;
  readonly close: (number: number) => Promise<void>;
  readonly reopen: (number: number) => Promise<void>;
  readonly label: (number: number, label: string, present: boolean, by?: string) => Promise<void>;
  /** A person merges the pull request by the host's own button. */
  readonly merge: (
    number: number,
    merge: { readonly expectedHead: string; readonly strategy: MergeStrategy; readonly message: string },
  ) => Promise<void>;
  /** The pull request as the host shows it. */
  readonly pullRequest: (number: number) => Promise<HostPullRequest | null>;
  /** All pull requests, including bot pull requests, sorted by number. */
  readonly pullRequests: () => Promise<
    { readonly number: number; readonly branch: string; readonly isOpen: boolean }[]
  >;
  /** The workflows that the service has started, and how each ended. Null: the workflow still runs. */
  readonly workflowRuns: () => Promise<{ readonly name: string; readonly conclusion: string | null }[]>;
  /** The service's comments on the pull request, with the keys by which the service edits them, oldest first. */
  readonly comments: (number: number) => Promise<{ readonly key: string; readonly body: string }[]>;
  /** The checks that the service reported on a commit. */
  readonly publishedChecks: (commit: string) => Promise<readonly PublishedHostCheck[]>;
  readonly startCi: () => void;
  /** Starts another CI runner, which stops when the returned object is disposed. */
  readonly runCi: () => Promise<AsyncDisposable>;
  readonly stop: () => Promise<void>;
}

/** What a `WorldHost` is made from. The service is already running, and the repository has one commit. */
export interface WorldHostStart {
  readonly service: Service;
  readonly ctx: Context;
  readonly repository: HostedRepository;
  readonly onError: (error: unknown) => void;
}

/** Whether `HOST` is `github`. */
export const isAtGitHub = process.env['HOST'] === 'github';

export const ada = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.test',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.test',
};

export async function makeLocalHost({ service, ctx, repository, onError }: WorldHostStart): Promise<WorldHost> {
  const host = service.localHost;
  const { git, directoryOf } = host.installation;
  const rows = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    await service.ports.db.system.query<Row>(text, values);
  const gitDir = directoryOf(repository);
  const { sandbox, sentence } = await findSandbox({ allowPlain: true, kinds: ['plain'] });
  if (sandbox === null) throw new Error(sentence);
  const runner = createCiRunner({ host, sandbox, concurrency: 4, onError });
  return {
    repository,
    committer: 'Interlock',
    pageOf: (number) => `http://localhost:4000/${repository.owner}/${repository.name}/pull/${number}`,
    gitDir,
    git: async (...args) => await git.text(gitDir, args, { env: ada }),
    commit: async (commit) => {
      const id = await commitAsUser(git, gitDir, commit);
      // This push bypasses the service. The host's reconciler reports it like any other push.
      await host.reconcile(repository);
      await service.drain();
      return id;
    },
    open: async (pullRequest) => {
      const opened = await openPullRequest(ctx, { repository, ...pullRequest });
      const [row] = await rows<{ number: number }>('select number from pull_request where id = $1', [
        opened.pullRequestId,
      ]);
      return row?.number ?? 0;
    },
    retarget: async (number, base) => {
      await rows('update local_pull_request set base_branch = $2 where number = $1', [number, base]);
      await syncPullRequest(ctx, repository, number);
    },
    review: async (number, review) => await host.reviewPullRequest(repository, number, review),
    close: async (number) => await host.closePullRequest(repository, number),
    reopen: async (number) => await host.reopenPullRequest(repository, number),
    label: async (number, label, present, by) => await host.setLabel(repository, number, { label, present, by }),
    merge: async (number, merge) =>
      void (await host.mergePullRequest(repository, number, { ...merge, unlessRef: null })),
    pullRequest: async (number) => await host.getPullRequest(repository, number),
    pullRequests: async () =>
      await rows(
        `select number, head_branch as branch, state = 'open' as "isOpen" from local_pull_request order by number`,
      ),
    workflowRuns: async () =>
      await rows('select name, conclusion from local_check_run where dispatch_key is not null order by id'),
    comments: async (number) => (await host.listComments(repository, number)).map(({ key, body }) => ({ key, body })),
    publishedChecks: async (commit) => await host.listPublishedChecks(repository, commit),
    startCi: () => runner.start(),
    runCi: async () => {
      const own = createCiRunner({ host, sandbox, concurrency: 4, pollMs: 50, onError: rethrow });
      own.start();
      return await Promise.resolve({ [Symbol.asyncDispose]: async () => await own.stop() });
    },
    stop: async () => await runner.stop(),
  };
}

function rethrow(error: unknown): never {
  throw error;
}
