// People, organisations, bots, Apps and teams.
import { accountNodeId } from '../render/accounts.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Account, App, Team } from '../model/types.ts';
import { connect } from './connection.ts';
import type { ViewContext, View } from './view-context.ts';

const typenames = { User: 'User', Organization: 'Organization', Bot: 'Bot' } as const;

/** In GraphQL, the login of a bot has no suffix `[bot]`. */
export function viewAccount({ core }: ViewContext, account: Account): View {
  const login = account.login.replace(/\[bot\]$/, '');
  const page = account.type === 'Bot' ? `apps/${login}` : login;
  const avatar = `${core.urls.web}/avatars/u/${account.id}`;
  return {
    __typename: typenames[account.type],
    id: accountNodeId(account),
    databaseId: account.id,
    login,
    name: account.name,
    email: account.email ?? '',
    url: `${core.urls.web}/${page}`,
    resourcePath: `/${page}`,
    avatarUrl: avatar,
    createdAt: account.createdAt,
    updatedAt: account.updatedAt,
    isViewer: false,
    viewerCanCreateRepositories: true,
    hasSponsorsListing: false,
  };
}

export function viewAccountOf(context: ViewContext, id: number | null): View | null {
  const account = context.core.state.accounts.get(id);
  return account === undefined ? null : viewAccount(context, account);
}

/** The field `viewer`. For an App, it is the App's bot, with the suffix `[bot]`. */
export function viewViewer(context: ViewContext): View | null {
  const { actor, core } = context;
  if (actor.kind === 'anonymous' || actor.kind === 'app') return null;
  const { memberships, accounts } = core.state;
  const organizations = memberships
    .filter(({ userId }) => userId === actor.account.id)
    .map(({ organizationId }) => accounts.must(organizationId));
  return {
    ...viewAccount(context, actor.account),
    __typename: 'User',
    login: actor.account.login,
    isViewer: true,
    organizations: (given: object) =>
      connect('organizations', given, organizations, (each) => viewAccount(context, each)),
  };
}

export function viewApp(context: ViewContext, app: App): View {
  return {
    __typename: 'App',
    id: nodeIdOf('apps', app.id),
    databaseId: app.id,
    slug: app.slug,
    name: app.name,
    description: app.description,
    url: app.externalUrl,
    createdAt: app.createdAt,
    updatedAt: app.updatedAt,
    logoUrl: `${context.core.urls.web}/avatars/in/${app.id}`,
  };
}

export function viewAppOf(context: ViewContext, id: number | null): View | null {
  const app = context.core.state.apps.get(id);
  return app === undefined ? null : viewApp(context, app);
}

export function viewTeam(context: ViewContext, team: Team): View {
  const organization = context.core.state.accounts.must(team.organizationId);
  return {
    __typename: 'Team',
    id: nodeIdOf('teams', team.id),
    databaseId: team.id,
    name: team.name,
    slug: team.slug,
    combinedSlug: `${organization.login}/${team.slug}`,
    organization: () => viewAccount(context, organization),
    url: `${context.core.urls.web}/orgs/${organization.login}/teams/${team.slug}`,
  };
}
