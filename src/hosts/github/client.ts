// Calls GitHub's API as the App. Before every call, the budget decides whether the call may be made, and the limits in
// the answer are stored in the budget. The client does not retry calls, because only the caller can tell whether a
// retry is safe.
import { createHash } from 'node:crypto';
import type { Database } from '../../platform/database.ts';
import type { Meter } from '../../platform/metrics/index.ts';
import { AppNotInstalled, HostUnavailable, type HostRepository, type Identity } from '../port.ts';
import {
  asPortError,
  type FailedCall,
  readFailedCall,
  type Failure,
  judgeFailure,
  findLimitRefusal,
} from './answers.ts';
import type { FindInstallation, GitHubInstallation } from './app.ts';
import { changeBudget, readBudget, type BudgetOwner } from './budget.rows.ts';
import { countCreation, decideCall, newBudget, noteAllowance, notePause, noteSuccess } from './budget.ts';
import type { Allowance, Budget, Purpose, Resource } from './budget.ts';
import type { InstallationToken, WantedToken } from './installation-auth.ts';
import { createOctokit, type Octokit } from './octokit.ts';
import type { FindRemote } from './remote.ts';

export interface ClientOptions {
  readonly db: Database;
  readonly clock: () => Date;
  readonly findInstallation: FindInstallation;
  /** Counts the calls. Left out: calls are not counted. */
  readonly meter?: Meter | undefined;
}

/** The API of GitHub for one repository and one purpose. */
export interface Api {
  /** A REST call by its route, such as `GET /repos/{owner}/{repo}`. */
  readonly request: Octokit['request'];
  graphql<Answer>(document: string, variables?: Readonly<Record<string, unknown>>): Promise<Answer>;
  readonly owner: string;
  readonly repo: string;
  /** The login of the App's bot. */
  readonly bot: string;
  readonly installation: GitHubInstallation;
}

export interface Client {
  apiFor(repository: HostRepository, purpose: Purpose): Promise<Api>;
  readonly findRemote: FindRemote;
  /** The committer of commits. Before the first call for the repository, a default identity. */
  readonly identity: (repository: HostRepository) => Identity;
}

/** The least time for which a token for git must be valid. It is longer than the longest push. */
const shortestTokenMs = 10 * 60_000;

/** Routes of REST calls that count against GitHub's limit of creations. */
const creating = /\/(comments|reviews|pulls|check-runs|dispatches|labels)$/;

export function createClient(options: ClientOptions): Client {
  const now = (): number => options.clock().getTime();
  const octokits = new Map<string, { readonly keyId: string; readonly octokit: Octokit }>();
  const budgets = new Map<string, SharedBudget>();
  const identities = new Map<string, Identity>();

  async function find(repository: HostRepository): Promise<Found> {
    const found = await mustFind(options.findInstallation, repository);
    identities.set(repository.id, identityOf(found.installation));
    return found;
  }

  function budgetOf(owner: BudgetOwner): SharedBudget {
    const key = `${owner.accountId} ${owner.installationId}`;
    const known = budgets.get(key);
    if (known !== undefined) return known;
    const made = new SharedBudget({ db: options.db, owner, now });
    budgets.set(key, made);
    return made;
  }

  function octokitOf({ accountId }: HostRepository, { installation }: Found): Octokit {
    const { id, app } = installation;
    const keyId = createHash('sha256').update(app.privateKey).digest('hex');
    const key = `${accountId} ${app.apiUrl} ${app.id} ${id}`;
    const known = octokits.get(key);
    // An App may get a new private key while this process runs. The client of the former key is dropped then.
    if (known?.keyId === keyId) return known.octokit;
    const made = createOctokit({ apiUrl: app.apiUrl, as: { app, installationId: id } });
    // A call is refused by its token only after another token was tried, so the budget does not see the first refusal.
    applyBudget(made, budgetOf({ accountId, installationId: id }), { now, meter: options.meter });
    octokits.set(key, { keyId, octokit: made });
    return made;
  }

  return {
    async apiFor(repository, purpose) {
      const found = await find(repository);
      return apiOf(octokitOf(repository, found), { repository, ...found, purpose, now });
    },
    async findRemote(repository, { isShared = false, instead } = {}) {
      const found = await find(repository);
      const octokit = octokitOf(repository, found);
      const { installation, githubId } = found;
      const ofRepository = isShared ? {} : { repositoryId: githubId };
      const first = await tokenOf(octokit, { ...ofRepository, ...(instead && { instead }) }, now);
      const isShort = first.expiresAt - now() < shortestTokenMs;
      const token = isShort && !instead ? await tokenOf(octokit, { ...ofRepository, instead: first }, now) : first;
      return {
        url: `${installation.app.webUrl}/${repository.owner}/${repository.name}.git`,
        token,
        confirmUrl: async () =>
          await confirmName(apiOf(octokit, { repository, ...found, purpose: 'reconciling', now }), repository),
      };
    },
    identity: (repository) => identities.get(repository.id) ?? unknownIdentity,
  };
}

interface ApiOptions {
  readonly repository: HostRepository;
  /** GitHub's id of the repository. */
  readonly githubId: string;
  readonly installation: GitHubInstallation;
  readonly purpose: Purpose;
  readonly now: () => number;
}

function apiOf(octokit: Octokit, { repository, githubId, installation, purpose, now }: ApiOptions): Api {
  const given = { owner: repository.owner, repo: repository.name };
  return {
    ...given,
    installation,
    bot: `${installation.app.slug}[bot]`,
    request: octokit.request.defaults({ request: { purpose, repositoryId: githubId } }) as Octokit['request'],
    graphql: async <Answer>(document: string, variables: Readonly<Record<string, unknown>> = {}) => {
      const answer = await octokit
        .graphql<Answer>(document, { ...given, ...variables, request: { purpose } })
        .catch((error: unknown) => {
          // GitHub may refuse some fields of another repository.
          refuseOther((error as { readonly data?: unknown }).data, githubId);
          const failed = readFailedCall(error);
          throw failed === null ? error : asPortError(judgeFailure(failed, now()), error);
        });
      refuseOther(answer, githubId);
      return answer;
    },
  };
}

interface OfRepository {
  readonly repository?: { readonly databaseId?: number } | null;
}

/** Throws HostUnavailable if the repository has another name at GitHub than in its row. */
async function confirmName(api: Api, { owner, name }: HostRepository): Promise<void> {
  const { data } = await api.request('GET /repos/{owner}/{repo}', { owner, repo: name });
  if (data.full_name.toLowerCase() !== `${owner}/${name}`.toLowerCase()) throw new HostUnavailable(movedMessage);
}

const movedMessage = 'The repository was renamed or moved at GitHub';

/** Throws HostUnavailable if an answer is about another repository: after a renaming, a new one may have the old name. */
function refuseOther(answer: unknown, githubId: string): void {
  const { databaseId } = (answer as OfRepository | null | undefined)?.repository ?? {};
  if (databaseId !== undefined && String(databaseId) !== githubId) throw new HostUnavailable(movedMessage);
}

/** The identity of commits that are made before the first call for the repository. */
const unknownIdentity: Identity = { name: 'Interlock', email: 'interlock@users.noreply.github.com' };

function identityOf({ app }: GitHubInstallation): Identity {
  const host = new URL(app.webUrl).hostname;
  return { name: `${app.slug}[bot]`, email: `${app.slug}[bot]@users.noreply.${host}` };
}

type Found = NonNullable<Awaited<ReturnType<FindInstallation>>>;

async function mustFind(findInstallation: FindInstallation, repository: HostRepository): Promise<Found> {
  const found = await findInstallation(repository);
  if (found === null)
    throw new AppNotInstalled(`The App is not installed on ${repository.owner}/${repository.name} any more`);
  return found;
}

async function tokenOf(octokit: Octokit, wanted: WantedToken, now: () => number): Promise<InstallationToken> {
  try {
    return (await octokit.auth(wanted)) as InstallationToken;
  } catch (error) {
    const call = readFailedCall(error);
    throw call === null ? error : asPortError(judgeFailure({ ...call, writes: false }, now()), error);
  }
}

type CallOutcome = 'ok' | 'held' | Failure['kind'];

/**
 * How long a budget that was read is used. The points left change slowly. A pause that another process stored takes
 * effect after this time.
 */
const budgetAgeMs = 1_000;
/** The shortest time between two writes of allowances. A pause is written at once. */
const noteEveryMs = 5_000;

export function applyBudget(
  octokit: Octokit,
  budget: SharedBudget,
  { now, meter }: { readonly now: () => number; readonly meter?: Meter | undefined },
): void {
  octokit.hook.wrap('request', async (request, call) => {
    // Requests for tokens cost no points, and all other calls need a token.
    if (call.url.includes('/access_tokens')) return await request(call);
    const purpose = ((call.request as { purpose?: Purpose } | undefined)?.purpose ?? 'reconciling') satisfies Purpose;
    const resource: Resource = call.url.endsWith('/graphql') ? 'graphql' : 'rest';
    const creates = call.method === 'POST' && resource === 'rest' && creating.test(call.url);
    const decision = decideCall(await budget.present(), { purpose, resource, creates }, now());
    const counted = (outcome: CallOutcome): void =>
      meter?.count('interlock_github_requests_total', { resource, outcome });
    if (decision.kind === 'wait') {
      counted('held');
      throw new HostUnavailable(decision.reason, { retryAt: decision.until });
    }
    if (creates) await budget.change((before) => countCreation(before, now()));
    try {
      const answer = await request(call);
      const limited = findLimitRefusal(answer);
      counted(limited === null ? 'ok' : 'limited');
      if (limited !== null) await budget.noteLimit(resource, limited, judgeFailure(limited, now()));
      await budget.noteAnswer(resource, answer.headers);
      return answer;
    } catch (error) {
      const failed = readFailedCall(error);
      if (failed === null) throw error;
      const failure = judgeFailure(failed, now());
      counted(failure.kind);
      await budget.noteLimit(resource, failed, failure);
      throw asPortError(failure, error);
    }
  });
}

type Headers = FailedCall['headers'];

interface BudgetOptions {
  readonly db: Database;
  readonly owner: BudgetOwner;
  readonly now: () => number;
}

/** The budget of an installation, which all processes share. */
export class SharedBudget {
  readonly #options: BudgetOptions;
  #known: { readonly budget: Budget; readonly readAt: number } | null = null;
  #notedAt = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  async present(): Promise<Budget> {
    const { db, owner, now } = this.#options;
    if (this.#known !== null && now() - this.#known.readAt < budgetAgeMs) return this.#known.budget;
    const budget = (await readBudget(db, owner)) ?? newBudget(now());
    this.#known = { budget, readAt: now() };
    return budget;
  }

  async change(by: (budget: Budget) => Budget): Promise<void> {
    const { db, owner, now } = this.#options;
    this.#known = null;
    await changeBudget(db, owner, { change: by, now: now() });
  }

  /**
   * Stores a refusal by a rate limit. If the points of REST or GraphQL are used up, only calls of the same kind wait.
   * After every other refusal, all calls wait.
   */
  async noteLimit(resource: Resource, failed: FailedCall, failure: Failure): Promise<void> {
    if (failure.kind !== 'limited') return;
    const allowance = allowanceOf(failed.headers);
    await this.change((budget) =>
      allowance?.left === 0
        ? noteAllowance(budget, resource, allowance)
        : notePause(budget, failure.until, this.#options.now()),
    );
  }

  /** Stores the points that are left, according to the headers of an answer. */
  async noteAnswer(resource: Resource, headers: Headers): Promise<void> {
    const { now } = this.#options;
    const allowance = allowanceOf(headers);
    if (allowance === null || now() - this.#notedAt < noteEveryMs) return;
    this.#notedAt = now();
    await this.change((budget) => noteSuccess(noteAllowance(budget, resource, allowance), now()));
  }
}

function allowanceOf(headers: Readonly<Record<string, string | number | undefined>>): Allowance | null {
  const [limit, left, resetSec] = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) =>
    Number(headers[name] ?? Number.NaN),
  );
  if (limit === undefined || left === undefined || resetSec === undefined) return null;
  return Number.isNaN(limit + left + resetSec) ? null : { limit, left, resetsAt: resetSec * 1000 };
}
