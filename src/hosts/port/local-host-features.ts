// What only the local host can do. With every other host, people review and comment at the host, and checks run there.
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
  /** Whether its token may write configurations. */
  readonly mayConfigure: boolean;
}

/** What git over HTTP asks of the service: the user of a token, the user's repositories, and what a push may do. */
export interface GitServing {
  /** Null: the token is unknown, expired or revoked. `'forbidden'`: it is good, and lacks the scope. */
  readonly authenticate: (
    token: string,
    scopeNeeded: 'queue:read' | 'queue:write',
  ) => Promise<GitUser | 'forbidden' | null>;
  /** The same of a browser that is signed in and asks for the output of a check. */
  readonly authenticateBrowser: (request: {
    readonly method: string;
    readonly headers: IncomingHttpHeaders;
  }) => Promise<GitUser | 'forbidden' | null>;
  /** The account's own repository of that name; null otherwise. */
  readonly resolve: (accountId: string, owner: string, name: string) => Promise<HostRepository | null>;
  /** Why nothing can be pushed to the repository now. Null: it takes pushes. */
  readonly refusePush: (repository: HostRepository) => Promise<string | null>;
  /** Whether the queue manages this branch; the default branch is managed in any case. */
  readonly isManaged: (repository: HostRepository, branch: string) => Promise<boolean> | boolean;
  /** The lines that the user reads of a push that has moved these refs, one for each fact. */
  readonly describePush: (repository: HostRepository, refs: readonly string[]) => Promise<readonly string[]>;
  /** One request of the account: the headers that say what is left, and whether it may be answered. */
  readonly spend: (accountId: string) => { readonly isAllowed: boolean; readonly headers: ReadonlyMap<string, string> };
  readonly bounds: PushBounds;
}

/** How checks run here. */
export interface CheckRunning {
  readonly sandbox: Sandbox;
  /** Checks at once. */
  readonly concurrency: number;
  readonly onError: (error: unknown) => void;
  /** Output kept of one run. Default: as of every run. */
  readonly keptOutput?: BothEnds;
  /** How long a dead runner's work waits for another one. */
  readonly leaseSec?: number;
  /** How often rows are looked at that another process queued or canceled. */
  readonly pollMs?: number;
  /** Where checkouts are made; each is removed after its run. */
  readonly workDir?: string;
}

export interface CiRunner {
  start(): void;
  /** Stops what runs and gives it back to the queue. */
  stop(): Promise<void>;
}

export interface ImportedRepository {
  readonly defaultBranch: string;
  readonly branches: number;
  readonly tags: number;
}

export interface CheckLog {
  readonly text: string;
  /** There is more before the text: only the end was read. */
  readonly truncated: boolean;
}

/** What people do on pull requests, in the name of a handle. */
export interface HostConversations {
  /**
   * A review in the name of a handle. The newest review of a handle counts. Throws HostRefused for a review by the pull
   * request's author, also if the author is known by another name of the reviewer (`alsoKnownAs`).
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
  /** A comment in the name of a handle. */
  addComment(
    repository: HostRepository,
    number: number,
    comment: { readonly author: string; readonly body: string },
  ): Promise<HostComment>;
  /** A review conversation, which stays unresolved until somebody resolves it. */
  openThread(
    repository: HostRepository,
    number: number,
    thread: { readonly author: string; readonly body: string },
  ): Promise<ReviewThread>;
  /** Idempotent. Null when the pull request has no such thread. */
  resolveThread(
    repository: HostRepository,
    number: number,
    resolution: { readonly thread: string; readonly by: string; readonly resolved: boolean },
  ): Promise<ReviewThread | null>;
}

export interface LocalHostFeatures extends HostConversations {
  /** A pull request of a fork, whose head commit this repository has already. Throws HostRefused where it has not. */
  openPullRequestOfFork(
    repository: HostRepository,
    input: Parameters<CodeHost['openPullRequest']>[1] & {
      readonly fork: { readonly owner: string; readonly name: string };
      readonly head: string;
    },
  ): Promise<HostPullRequest>;
  /**
   * Mirrors `source` (a URL or a path) into a repository, which is made if need be. Again: refs move to where the
   * source has them; those it has not are left. `whenFetched` is called before anything else hears of the refs. Throws
   * HostRefused when the source has no branches or cannot be read.
   */
  importRepository(
    repository: HostRepository,
    source: string,
    whenFetched?: (imported: ImportedRepository) => Promise<void>,
  ): Promise<ImportedRepository>;
  /** Registers git over HTTP, and the output of checks beside it. */
  serveGit(fastify: FastifyInstance, serving: GitServing): Promise<void>;
  /** Runs the checks of every repository here, once it is started. */
  createCiRunner(running: CheckRunning): CiRunner;
  /** What was reported on a commit besides CI's own checks. */
  listPublishedChecks(repository: HostRepository, commit: string): Promise<readonly PublishedHostCheck[]>;
  /** Output of a check run; null when the repository has no such run. */
  readCheckLog(repository: HostRepository, checkRunId: string): Promise<CheckLog | null>;
}

export function isLocalHost(host: CodeHost): host is CodeHost & LocalHostFeatures {
  return host.kind === 'local';
}
