// The root of the API, facts about the server, and the rate limits.
import { ok, type RestRoute, route } from '../http/route.ts';

const rootPaths = {
  current_user_url: '/user',
  current_user_repositories_url: '/user/repos{?type,page,per_page,sort}',
  organization_url: '/orgs/{org}',
  organization_repositories_url: '/orgs/{org}/repos{?type,page,per_page,sort}',
  rate_limit_url: '/rate_limit',
  repository_url: '/repos/{owner}/{repo}',
  user_url: '/users/{user}',
  user_organizations_url: '/user/orgs',
} as const;

// The other addresses in GitHub's list. The emulator does not serve them.
const rootNames =
  'authorizations code_search commit_search emails emojis events feeds followers following gists issue_search issues keys label_search notifications organization_teams public_gists repository_search starred_gists starred user_repositories user_search';

export const metaRoutes: readonly RestRoute[] = [
  // Command-line tools read the scopes of a token from the headers of this answer.
  route('GET', '/', ({ core: { urls } }) => {
    const served = Object.entries(rootPaths).map(([name, path]) => [name, `${urls.api}${path}`]);
    const others = rootNames.split(' ').map((name) => [`${name}_url`, `${urls.api}/${name}`]);
    const page = { current_user_authorizations_html_url: `${urls.web}/settings/connections` };
    return ok({ ...page, ...Object.fromEntries([...others, ...served]) });
  }),
  route('GET', '/meta', () => ok({ verifiable_password_authentication: false, installed_version: '3.20.0' })),
  route('GET', '/rate_limit', ({ core, actor }) => {
    const { resource: _core, ...rest } = core.limits.read(actor, 'core');
    const { resource: _graphql, ...graphql } = core.limits.read(actor, 'graphql');
    return ok({
      resources: { core: rest, graphql, search: { ...rest, limit: 30, remaining: 30, used: 0 } },
      rate: rest,
    });
  }),
];
