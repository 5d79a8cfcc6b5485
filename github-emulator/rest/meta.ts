// What the server says about itself and about budgets.
import { ok, type RestRoute, route } from '../http/route.ts';

export const metaRoutes: readonly RestRoute[] = [
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
