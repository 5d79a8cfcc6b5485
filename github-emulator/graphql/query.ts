// The root of queries.
import { findAccount, findRepository } from '../http/reach.ts';
import { parseNodeId } from '../model/ids.ts';
import type { Repository } from '../model/types.ts';
import { viewAccount, viewApp, viewTeam, viewViewer } from './accounts.ts';
import { viewCheckRun, viewCheckSuite, viewWorkflowRun } from './checks.ts';
import { viewCommitOf, viewRefOf } from './commits.ts';
import { connect } from './connection.ts';
import { GraphqlFault } from './fault.ts';
import { viewPull } from './pulls.ts';
import { viewLabel, viewRepository } from './repository.ts';
import { viewProtection, viewRuleset } from './rules.ts';
import { search } from './search.ts';
import { sees, type ViewContext, type View } from './view-context.ts';
import { viewComment, viewReview, viewThread } from './conversations.ts';

interface CostOfQuery {
  readonly points: number;
  readonly nodes: number;
}

export function viewQuery(context: ViewContext, cost: CostOfQuery): View {
  const { core, actor } = context;
  return {
    viewer: () => viewViewer(context),
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const repository = findRepository(core, owner, name);
      if (repository === undefined || !sees(context, repository))
        throw new GraphqlFault('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`);
      return viewRepository(context, repository);
    },
    repositoryOwner: ({ login }: { login: string }) => {
      const account = findAccount(core, login);
      return account === undefined ? null : viewOwner(context, login);
    },
    user: ({ login }: { login: string }) => viewLogin(context, login, 'User'),
    organization: ({ login }: { login: string }) => viewLogin(context, login, 'Organization'),
    node: async ({ id }: { id: string }) => await mustNode(context, id),
    nodes: async ({ ids }: { ids: readonly string[] }) =>
      await Promise.all(ids.map(async (id) => await mustNode(context, id))),
    search: (given: { query: string; type: string }) => search(context, given),
    meta: {
      gitHubServicesSha: null,
      gitIpAddresses: [],
      hookIpAddresses: [],
      isPasswordAuthenticationVerifiable: false,
    },
    rateLimit: () => {
      const budget = core.limits.read(actor, 'graphql');
      return {
        cost: cost.points,
        nodeCount: cost.nodes,
        limit: budget.limit,
        remaining: budget.remaining,
        used: budget.used,
        resetAt: new Date(budget.reset * 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
      };
    },
  };
}

function viewLogin(context: ViewContext, login: string, type: 'User' | 'Organization'): View | null {
  const account = findAccount(context.core, login);
  if (account === undefined || account.type !== type)
    throw new GraphqlFault(
      'NOT_FOUND',
      `Could not resolve to a${type === 'User' ? ' User' : 'n Organization'} with the login of '${login}'.`,
    );
  return viewOwner(context, login);
}

function viewOwner(context: ViewContext, login: string): View | null {
  const { core } = context;
  const account = findAccount(core, login);
  if (account === undefined) return null;
  const { state } = core;
  const repositories = state.repositories.filter((each) => each.ownerId === account.id && sees(context, each));
  const teams = state.teams.filter((each) => each.organizationId === account.id);
  return {
    ...viewAccount(context, account),
    repositories: (given: object) =>
      connect('repositories', given, repositories, (each) => viewRepository(context, each)),
    teams: (given: object) => connect('teams', given, teams, (each) => viewTeam(context, each)),
    team: ({ slug }: { slug: string }) => {
      const team = teams.find((each) => each.slug === slug);
      return team === undefined ? null : viewTeam(context, team);
    },
  };
}

async function mustNode(context: ViewContext, nodeId: string): Promise<View> {
  const view = await viewNode(context, nodeId);
  if (view === null)
    throw new GraphqlFault('NOT_FOUND', `Could not resolve to a node with the global id of '${nodeId}'`);
  return view;
}

/** Null: the node does not exist, or the actor may not see its repository. */
async function viewNode(context: ViewContext, nodeId: string): Promise<View | null> {
  const { state } = context.core;
  const parsed = parseNodeId(nodeId);
  if (parsed === null) return null;
  const { kind, id, name } = parsed;
  if (kind === 'accounts' || kind === 'organizations' || kind === 'bots') {
    const account = state.accounts.get(id);
    return account === undefined ? null : viewAccount(context, account);
  }
  if (kind === 'apps') {
    const app = state.apps.get(id);
    return app === undefined ? null : viewApp(context, app);
  }
  if (kind === 'repositories' || kind === 'commits' || kind === 'refs') {
    const repository = state.repositories.get(id);
    if (repository === undefined || !sees(context, repository)) return null;
    if (kind === 'repositories') return viewRepository(context, repository);
    return kind === 'refs' ? await viewRefOf(context, repository, name) : await viewCommitOf(context, repository, name);
  }
  return viewRow(context, kind, id);
}

const tables = [
  'pullRequests',
  'labels',
  'comments',
  'reviews',
  'reviewThreads',
  'checkSuites',
  'checkRuns',
  'workflowRuns',
  'protections',
  'rulesets',
] as const;

function viewRow(context: ViewContext, kind: string, id: number): View | null {
  const { state } = context.core;
  const table = tables.find((each) => each === kind);
  const row = table === undefined ? undefined : state[table].get(id);
  const repository = state.repositories.get(row?.repositoryId);
  if (row === undefined || repository === undefined || !sees(context, repository)) return null;
  return viewOf(context, repository, { kind, id });
}

function viewOf(context: ViewContext, repository: Repository, { kind, id }: { kind: string; id: number }): View | null {
  const { state } = context.core;
  const placeOf = (row: { number: number }) => ({
    repository,
    pull: state.pullRequests.find((each) => each.repositoryId === repository.id && each.number === row.number),
  });
  switch (kind) {
    case 'pullRequests':
      return viewPull(context, repository, state.pullRequests.must(id));
    case 'labels':
      return viewLabel(context, repository, state.labels.must(id));
    case 'checkSuites':
      return viewCheckSuite(context, repository, state.checkSuites.must(id));
    case 'checkRuns':
      return viewCheckRun(context, repository, state.checkRuns.must(id));
    case 'workflowRuns':
      return viewWorkflowRun(context, repository, state.workflowRuns.must(id));
    case 'protections':
      return viewProtection(context, repository, state.protections.must(id));
    case 'rulesets':
      return viewRuleset(context, repository, state.rulesets.must(id));
    default: {
      const tableOf = { comments: state.comments, reviews: state.reviews, reviewThreads: state.reviewThreads } as const;
      const { pull } = placeOf(tableOf[kind as keyof typeof tableOf].must(id));
      if (pull === undefined) return null;
      const place = { repository, pull };
      if (kind === 'comments') return viewComment(context, place, state.comments.must(id));
      return kind === 'reviews'
        ? viewReview(context, place, state.reviews.must(id))
        : viewThread(context, place, state.reviewThreads.must(id));
    }
  }
}
