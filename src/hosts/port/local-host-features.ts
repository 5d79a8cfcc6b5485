// What only the local host can do. Every other host runs its checks itself, and people review and comment at that host.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { PushBounds } from '../../domain/runs/push-bounds.ts';
import type { BothEnds } from '../../platform/long-output.ts';
import type { Sandbox } from '../../platform/sandbox/index.ts';
import type { PublishedHostCheck } from './checks.ts';
import type { CodeHost } from './code-host.ts';
import type { HostComment, HostPullRequest, ReviewThread } from './pull-requests.ts';
import type { HostRepository } from './repository.ts';

export interface GitUser {
  readonly accountId: string;
  readonly userId: string | null;
  readonly handle: string | null;
  readonly email: string | null;
  /** Whether the user's token has the scope config:write. */
  readonly mayConfigure: boolean;
}

/** What git over HTTP needs from the service: the user of a token, the user's repositories, and what a push may do. */
export interface GitServing {
  /** Null: the token is unknown, expired or revoked. `'forbidden'`: the token is valid, but lacks the scope. */
  readonly authenticate: (
    token: string,
    scopeNeeded: 'queue:read' | 'queue:write',
  ) => Promise<GitUser | 'forbidden' | null>;
  /** The same for a browser that is signed in and requests the output of a check. */
  readonly authenticateBrowser: (request: {
    readonly method: string;
    readonly headers: IncomingHttpHeaders;
  }) => Promise<GitUser | 'forbidden' | null>;
  /** The repository of the account that has this owner and name. Null: the account has no such repository. */
  readonly resolve: (accountId: string, owner: string, name: string) => Promise<HostRepository | null>;
  /** Why nothing can be pushed to the repository now. Null: pushes are accepted. */
  readonly refusePush: (repository: HostRepository) => Promise<string | null>;
  /** Whether a queue manages this branch. The default branch is managed in any case. */
  readonly isManaged: (repository: HostRepository, branch: string) => Promise<boolean> | boolean;
  /** The lines that git shows to the user after a push has moved these refs, one line for each fact. */
  readonly describePush: (repository: HostRepository, refs: readonly string[]) => Promise<readonly string[]>;
  /**
   * Counts one request of the account against its rate limit. Returns whether the request is allowed, and the headers
   * of the rate limit.
   */
  readonly spend: (accountId: string) => { readonly isAllowed: boolean; readonly headers: ReadonlyMap<string, string> };
  readonly bounds: PushBounds;
}

/** How the local host runs checks. */
export interface CheckRunning {
  readonly sandbox: Sandbox;
  /** How many checks run at the same time. */
  readonly concurrency: number;
  readonly onError: (error: unknown) => void;
  /** How much output of one run is kept. Default: the same as for every other kind of run. */
  readonly keptOutput?: BothEnds;
  /** How long a lease lasts. After this time, another runner takes over the checks of a runner that died. */
  readonly leaseSec?: number;
  /**
   * How often the runner reads the rows, which other processes may have queued or canceled. Default: every half second
   * while checks run, otherwise every five seconds.
   */
  readonly pollMs?: number;
  /** The folder for checkouts. Each checkout is removed after its run. */
  readonly workDir?: string;
}

export interface CiRunner {
  start(): void;
  /** Stops the running checks and queues them again. */
  stop(): Promise<void>;
}

export interface ImportedRepository {
  readonly defaultBranch: string;
  readonly branches: number;
  readonly tags: number;
}

export interface CheckLog {
  readonly text: string;
  /** Whether the output is longer than `text`. `text` is then the end of the output. */
  readonly truncated: boolean;
}

/** Reviews, comments and review threads of people. */
export interface HostConversations {
  /**
   * Stores a review in the name of the handle `reviewer`. Only the newest review of a handle counts. Throws HostRefused
   * if the reviewer, by this handle or another name (`alsoKnownAs`), is an author of the pull request.
   */
  reviewPullRequest(
    repository: HostRepository,
    number: number,
    review: {
      readonly reviewer: string;
      readonly alsoKnownAs?: readonly string[];
      readonly verdict: 'approved' | 'changes_requested';
    },
  ): Promise<void>;
  /** Writes a comment in the name of the handle `author`. */
  addComment(
    repository: HostRepository,
    number: number,
    comment: { readonly author: string; readonly body: string },
  ): Promise<HostComment>;
  /** Opens a review thread, which is unresolved until `resolveThread`. */
  openThread(
    repository: HostRepository,
    number: number,
    thread: { readonly author: string; readonly body: string },
  ): Promise<ReviewThread>;
  /** Resolves the thread, or makes it unresolved again. Idempotent. Null: the pull request has no such thread. */
  resolveThread(
    repository: HostRepository,
    number: number,
    resolution: { readonly thread: string; readonly by: string; readonly resolved: boolean },
  ): Promise<ReviewThread | null>;
}

export interface LocalHostFeatures extends HostConversations {
  /** Why no repository can be made here, and what to do about it. Null: repositories can be made. */
  readonly refusesRepositories: string | null;
  /** Opens a pull request of a fork. Throws HostRefused if the repository does not have the head commit yet. */
  openPullRequestOfFork(
    repository: HostRepository,
    input: Parameters<CodeHost['openPullRequest']>[1] & {
      readonly fork: { readonly owner: string; readonly name: string };
      readonly head: string;
    },
  ): Promise<HostPullRequest>;
  /**
   * Copies the branches and tags of `source` (a URL or a path) into a repository, and makes the repository if
   * necessary. A second import moves refs to their values at the source, and leaves refs that the source does not have.
   * The branches `onlyForward` are not moved to a commit that lacks their present one. `whenFetched` is called before
   * the host reports any change of refs, and `onProgress` for each line of git's progress. Throws HostRefused if the
   * source has no branches, cannot be read, lacks the branch `required`, or would take commits from a branch of
   * `onlyForward`.
   */
  importRepository(
    repository: HostRepository,
    source: string,
    following?: {
      readonly onlyForward?: readonly string[];
      readonly required?: string | null;
      readonly whenFetched?: (imported: ImportedRepository) => Promise<void>;
      readonly onProgress?: ((line: string) => void) | undefined;
    },
  ): Promise<ImportedRepository>;
  /** Registers the routes of git over HTTP, and the route for the output of checks. */
  serveGit(fastify: FastifyInstance, serving: GitServing): Promise<void>;
  /** Makes a runner for the checks of every repository at this host. The runner must be started. */
  createCiRunner(running: CheckRunning): CiRunner;
  /** The checks of a commit that were reported by `publishCheck`. */
  listPublishedChecks(repository: HostRepository, commit: string): Promise<readonly PublishedHostCheck[]>;
  /** The output of a check run. Null: the repository has no such run. */
  readCheckLog(repository: HostRepository, checkRunId: string): Promise<CheckLog | null>;
}

export function isLocalHost(host: CodeHost): host is CodeHost & LocalHostFeatures {
  return host.kind === 'local';
}
