// Calls of GitHub's API as the App. Every call asks the budget first, and its answer is noted there. Nothing is retried
// here: who called knows whether asking again is harmless.
import { createHash } from 'node:crypto';
import type { Database } from '../../platform/database.ts';
import type { Meter } from '../../platform/metrics/index.ts';
import { HostUnavailable, type HostRepository, type Identity } from '../port.ts';
import { asPortError, type FailedCall, failedCall, type Failure, judgeFailure, limitedAnswer } from './answers.ts';
import type { FindInstallation, GitHubInstallation } from './app.ts';
import { changeBudget, readBudget, type BudgetOwner } from './budget.rows.ts';
import { countCreation, decideCall, newBudget, noteAllowance, notePause, noteSuccess } from './budget.ts';
import type { Allowance, Budget, Purpose, Resource } from './budget.ts';
import { createOctokit, type Octokit } from './octokit.ts';
import type { FindRemote } from './remote.ts';

export interface ClientOptions {
  readonly db: Database;
  readonly clock: () => Date;
  readonly findInstallation: FindInstallation;
  /** Counts the calls. Left out: nobody does. */
  readonly meter?: Meter | undefined;
}

/** The API, asked for one repository and one purpose. */
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
  of(repository: HostRepository, purpose: Purpose): Promise<Api>;
  readonly findRemote: FindRemote;
  /** Known after the first call for the repository. */
  readonly identity: (repository: HostRepository) => Identity;
}

/** A token for git is good for longer than the longest push. */
const shortestTokenMs = 10 * 60_000;

/** As GitHub names REST calls that make something it counts: comments, reviews, pull requests, checks, runs. */
const creating = /\/(comments|reviews|pulls|check-runs|dispatches|labels)$/;

export function createClient(options: ClientOptions): Client {
  const now = (): number => options.clock().getTime();
  const octokits = new Map<string, Octokit>();
  const identities = new Map<string, Identity>();

  async function find(repository: HostRepository): ReturnType<typeof mustFind> {
    const found = await mustFind(options.findInstallation, repository);
    identities.set(repository.id, identityOf(found.installation));
    return found;
  }

  function octokitOf({ id, app }: GitHubInstallation, owner: BudgetOwner): Octokit {
    // An App may get a new private key while this process runs.
    const keyId = createHash('sha256').update(app.privateKey).digest('hex');
    const key = `${app.apiUrl} ${app.id} ${id} ${keyId}`;
    const known = octokits.get(key);
    if (known !== undefined) return known;
    const made = createOctokit({ apiUrl: app.apiUrl, as: { app, installationId: id } });
    keepToken(made);
    // The budget wraps the tokens, so it sees only failures that a new token did not cure.
    keepBudget(made, { db: options.db, owner, now, meter: options.meter });
    octokits.set(key, made);
    return made;
  }

  return {
    async of(repository, purpose) {
      const { installation } = await find(repository);
      const octokit = octokitOf(installation, { accountId: repository.accountId, installationId: installation.id });
      const given = { owner: repository.owner, repo: repository.name };
      return {
        ...given,
        installation,
        bot: `${installation.app.slug}[bot]`,
        request: octokit.request.defaults({ request: { purpose } }) as Octokit['request'],
        graphql: async <Answer>(document: string, variables: Readonly<Record<string, unknown>> = {}) =>
          await octokit
            .graphql<Answer>(document, { ...given, ...variables, request: { purpose } })
            .catch((error: unknown) => {
              const failed = failedCall(error);
              throw failed === null ? error : asPortError(judgeFailure(failed, now()), error);
            }),
      };
    },
    async findRemote(repository, { isRefused = false } = {}) {
      const { installation, githubId } = await find(repository);
      const octokit = octokitOf(installation, { accountId: repository.accountId, installationId: installation.id });
      const ask = { type: 'installation', repositoryIds: [Number(githubId)] } as const;
      const first = await tokenOf(octokit, isRefused ? { ...ask, refresh: true } : ask);
      const isShort = Date.parse(first.expiresAt) - now() < shortestTokenMs;
      const { token } = isShort && !isRefused ? await tokenOf(octokit, { ...ask, refresh: true }) : first;
      return { url: `${installation.app.webUrl}/${repository.owner}/${repository.name}.git`, token };
    },
    identity: (repository) => identities.get(repository.id) ?? unknownIdentity,
  };
}

/** The identity of commits that are made before GitHub was asked anything. */
const unknownIdentity: Identity = { name: 'Interlock', email: 'interlock@users.noreply.github.com' };

function identityOf({ app }: GitHubInstallation): Identity {
  const host = new URL(app.webUrl).hostname;
  return { name: `${app.slug}[bot]`, email: `${app.slug}[bot]@users.noreply.${host}` };
}

async function mustFind(findInstallation: FindInstallation, repository: HostRepository) {
  const found = await findInstallation(repository);
  if (found === null)
    throw new HostUnavailable(`The App is not installed on ${repository.owner}/${repository.name} any more`);
  return found;
}

async function tokenOf(
  octokit: Octokit,
  ask: { readonly type: 'installation'; readonly repositoryIds: readonly number[]; readonly refresh?: boolean },
): Promise<{ readonly token: string; readonly expiresAt: string }> {
  try {
    return (await octokit.auth(ask)) as { token: string; expiresAt: string };
  } catch (error) {
    const call = failedCall(error);
    throw call === null ? error : asPortError(judgeFailure({ ...call, writes: false }, Date.now()), error);
  }
}

/**
 * GitHub may end a token before its time. A call that is refused for its token has done nothing, so that it is made
 * once more with a new one.
 */
function keepToken(octokit: Octokit): void {
  octokit.hook.wrap('request', async (request, call) => {
    try {
      return await request(call);
    } catch (error) {
      const failed = failedCall(error);
      if (failed === null || failed.status !== 401 || failed.isForToken) throw error;
      await octokit.auth({ type: 'installation', refresh: true });
      return await request(call);
    }
  });
}

interface BudgetOptions {
  readonly db: Database;
  readonly owner: BudgetOwner;
  readonly now: () => number;
  readonly meter?: Meter | undefined;
}

type CallOutcome = 'ok' | 'held' | Failure['kind'];

/**
 * The row is read at most that often: what is left changes slowly, and a pause is also noted by the answers of others.
 */
const budgetAgeMs = 1_000;
/** What answers say is written at most that often. A pause is written at once. */
const noteEveryMs = 5_000;

export function keepBudget(octokit: Octokit, { db, owner, now, meter }: BudgetOptions): void {
  let known: { readonly budget: Budget; readonly readAt: number } | null = null;
  let notedAt = 0;

  async function present(): Promise<Budget> {
    if (known !== null && now() - known.readAt < budgetAgeMs) return known.budget;
    const budget = (await readBudget(db, owner)) ?? newBudget(now());
    known = { budget, readAt: now() };
    return budget;
  }
  async function change(by: (budget: Budget) => Budget): Promise<void> {
    known = null;
    await changeBudget(db, owner, { change: by, now: now() });
  }

  /** Points that are spent hold the calls that cost such points. Any other limit holds all. */
  async function noteLimit(resource: Resource, failed: FailedCall, failure: Failure): Promise<void> {
    if (failure.kind !== 'limited') return;
    const said = allowanceOf(failed.headers);
    await change((budget) =>
      said?.left === 0 ? noteAllowance(budget, resource, said) : notePause(budget, failure.until, now()),
    );
  }

  octokit.hook.wrap('request', async (request, call) => {
    // Tokens cost nothing, and nothing is done without them.
    if (call.url.includes('/access_tokens')) return await request(call);
    const purpose = ((call.request as { purpose?: Purpose } | undefined)?.purpose ?? 'reconciling') satisfies Purpose;
    const resource: Resource = call.url.endsWith('/graphql') ? 'graphql' : 'rest';
    const creates = call.method === 'POST' && resource === 'rest' && creating.test(call.url);
    const decision = decideCall(await present(), { purpose, resource, creates }, now());
    const counted = (outcome: CallOutcome): void =>
      meter?.count('interlock_github_requests_total', { resource, outcome });
    if (decision.kind === 'wait') {
      counted('held');
      throw new HostUnavailable(decision.reason, { retryAt: decision.until });
    }
    if (creates) await change((budget) => countCreation(budget, now()));
    try {
      const answer = await request(call);
      const limited = limitedAnswer(answer);
      counted(limited === null ? 'ok' : 'limited');
      if (limited !== null) await noteLimit(resource, limited, judgeFailure(limited, now()));
      const said = allowanceOf(answer.headers);
      if (said !== null && now() - notedAt >= noteEveryMs) {
        notedAt = now();
        await change((budget) => noteSuccess(noteAllowance(budget, resource, said), now()));
      }
      return answer;
    } catch (error) {
      const failed = failedCall(error);
      if (failed === null) throw error;
      const failure = judgeFailure(failed, now());
      counted(failure.kind);
      await noteLimit(resource, failed, failure);
      throw asPortError(failure, error);
    }
  });
}

function allowanceOf(headers: Readonly<Record<string, string | number | undefined>>): Allowance | null {
  const [limit, left, resetSec] = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) =>
    Number(headers[name] ?? Number.NaN),
  );
  if (limit === undefined || left === undefined || resetSec === undefined) return null;
  return Number.isNaN(limit + left + resetSec) ? null : { limit, left, resetsAt: resetSec * 1000 };
}
