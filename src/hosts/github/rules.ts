// Reads the rules of a base branch from GitHub. A read takes several calls, so callers may cache the rules for a
// minute.
import { HostRefused, HostUnavailable, type CodeHost, type PinnedChecks } from '../port.ts';
import {
  type BranchFacts,
  judgeBaseRules,
  type ProtectionFacts,
  type RuleFacts,
  type RulesetFacts,
} from './base-rules.ts';
import { NotFoundAtGitHub, OutsidePlanAtGitHub } from './answers.ts';
import type { Api, Client } from './client.ts';
import { pageSize, readPages } from './pages.ts';
import { nameOf } from './pull-requests.ts';
import * as documents from './rules.documents.ts';

const countsForMs = 60_000;

export interface RuleSettings {
  readonly client: Client;
  /** Whether commits of Interlock are signed. */
  readonly signsCommits: boolean;
}

export function ruleOperations({ client, signsCommits }: RuleSettings) {
  return {
    readBaseRules: async (repository, baseBranch) => {
      const api = await client.apiFor(repository, 'hint');
      return { ...judgeBaseRules(await readBranchFacts(api, baseBranch, { signsCommits })), countsForMs };
    },
  } satisfies Partial<CodeHost>;
}

/** Reads the rules, each of their rulesets, and classic protection, by several calls. */
export async function readBranchFacts(
  api: Api,
  branch: string,
  { signsCommits }: Pick<BranchFacts, 'signsCommits'>,
): Promise<BranchFacts> {
  const rules = await readActiveRules(api, branch);
  const rulesets: RulesetFacts[] = [];
  for (const id of new Set(rules.map(({ rulesetId }) => rulesetId))) rulesets.push(await readRuleset(api, id));
  const protection = await readProtection(api, branch);
  return { branch, app: api.installation.app.slug, signsCommits, rules, rulesets, protection };
}

async function readActiveRules(api: Api, branch: string): Promise<RuleFacts[]> {
  const readPage = async (page: number) =>
    await api.request('GET /repos/{owner}/{repo}/rules/branches/{branch}', {
      ...nameOf(api),
      branch,
      per_page: pageSize,
      page,
    });
  const rules = await readPages(async (page) => (await readPage(page)).data).catch((error: unknown) => {
    if (error instanceof OutsidePlanAtGitHub) return [];
    throw error;
  });
  return rules.map((rule) => {
    const checks = rule.type === 'required_status_checks' ? (rule.parameters?.required_status_checks ?? []) : [];
    return {
      type: rule.type,
      rulesetId: rule.ruleset_id ?? 0,
      checks: checks.map(({ context }) => context),
      pins: pinsOf(checks.map(({ context, integration_id }) => ({ context, appId: integration_id ?? null }))),
    };
  });
}

/** The pinned checks. If any App may report a check, GitHub's id of the App is negative or missing. */
function pinsOf(checks: readonly { readonly context: string; readonly appId: number | null }[]): PinnedChecks {
  return Object.fromEntries(
    checks.flatMap(({ context, appId }) => (appId === null || appId < 0 ? [] : [[context, [String(appId)]]])),
  );
}

/**
 * Reads a ruleset. `current_user_can_bypass` says whether the App may bypass it. GitHub may leave this field out, and
 * then it is unknown.
 */
async function readRuleset(api: Api, id: number): Promise<RulesetFacts> {
  const url = `${api.installation.app.webUrl}/${api.owner}/${api.repo}/rules/${id}`;
  const found = await api
    .request('GET /repos/{owner}/{repo}/rulesets/{ruleset_id}', {
      ...nameOf(api),
      ruleset_id: id,
      includes_parents: true,
    })
    .then(({ data }) => data)
    .catch(nullIfAbsent);
  if (found === null) return { id, name: String(id), bypasses: null, url };
  const can = found.current_user_can_bypass;
  const bypasses = can === undefined ? null : can === 'always' || can === 'exempt';
  // The ruleset of an organisation has its own page, whose URL is in GitHub's answer.
  return { id, name: found.name, bypasses, url: found._links?.html?.href ?? url };
}

async function readProtection(api: Api, branch: string): Promise<ProtectionFacts | null> {
  const found = await api
    .request('GET /repos/{owner}/{repo}/branches/{branch}/protection', { ...nameOf(api), branch })
    .then(({ data }) => data)
    .catch(nullIfAbsent);
  if (found === null) return null;
  const { slug } = api.installation.app;
  const hasApp = (apps: readonly ({ slug?: string } | null)[] | undefined): boolean =>
    (apps ?? []).some((app) => app?.slug === slug);
  const reviews = found.required_pull_request_reviews;
  return {
    requiredChecks: found.required_status_checks?.contexts ?? [],
    pins: pinsOf(
      (found.required_status_checks?.checks ?? []).map(({ context, app_id }) => ({ context, appId: app_id })),
    ),
    requiresPullRequest: reviews !== undefined,
    skipsPullRequest: hasApp(reviews?.bypass_pull_request_allowances?.apps),
    restrictsPushes: found.restrictions !== undefined,
    mayPush: hasApp(found.restrictions?.apps),
    linear: found.required_linear_history?.enabled ?? false,
    signed: found.required_signatures?.enabled ?? false,
    isLocked: found.lock_branch?.enabled ?? false,
    deployments: await readRequiredDeployments(api, branch),
    url: `${api.installation.app.webUrl}/${api.owner}/${api.repo}/settings/branches`,
  };
}

interface DeploymentsAnswer {
  readonly repository: {
    readonly ref: {
      readonly branchProtectionRule: {
        readonly requiresDeployments: boolean;
        readonly requiredDeploymentEnvironments: readonly (string | null)[] | null;
      } | null;
    } | null;
  } | null;
}

/**
 * Reads the environments that classic protection requires deployments to. Only GraphQL has them. They serve only a
 * warning, so a failure must not fail the read of the other rules. Null: they could not be read, as when few points are
 * left, or at a GitHub Enterprise Server without these fields.
 */
async function readRequiredDeployments(api: Api, branch: string): Promise<string[] | null> {
  const answer = await api
    .graphql<DeploymentsAnswer>(documents.readRequiredDeployments, { ref: `refs/heads/${branch}` })
    .catch((error: unknown) => {
      if (error instanceof HostUnavailable || error instanceof HostRefused) return null;
      throw error;
    });
  if (answer === null) return null;
  const rule = answer.repository?.ref?.branchProtectionRule;
  return rule?.requiresDeployments ? (rule.requiredDeploymentEnvironments ?? []).flatMap((name) => name ?? []) : [];
}

function nullIfAbsent(error: unknown): null {
  if (error instanceof NotFoundAtGitHub) return null;
  throw error;
}
