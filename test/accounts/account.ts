// Functions for what an admin of the first account does with users, teams and permissions.
import { scopes, type Role, type Scope } from '../../src/context.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import type { GraphQLAnswer, TestServer } from '../support/server.ts';
import { roles } from './roles-of-scopes.ts';

export interface AddedUser {
  readonly id: string;
  readonly email: string;
  readonly handle: string;
  /** A token that an admin made for the user. */
  readonly token: string;
}

export interface AccountVerbs {
  /** Adds the user `<handle>@acme.test` and gives it a token. `as` is the token of an admin of another account. */
  add(
    handle: string,
    options?: { readonly role?: Role; readonly scopes?: readonly Scope[]; readonly as?: string | undefined },
  ): Promise<AddedUser>;
  update(id: string, change: Readonly<Record<string, unknown>>, token?: string): Promise<GraphQLAnswer<object>>;
  remove(id: string, token?: string): Promise<GraphQLAnswer<object>>;
  /** Makes a team of the organization acme with these members, and returns its id. */
  team(slug: string, ...members: readonly AddedUser[]): Promise<string>;
  grant(
    permission: 'SKIP_LINE' | 'SKIP_VALIDATION',
    to: { readonly user: string } | { readonly team: string },
    repository: { readonly owner: string; readonly name: string },
  ): Promise<void>;
  /** Runs a mutation that has one input, and throws if the mutation is refused. */
  run<Payload>(mutation: string, input: unknown, selection: string, token?: string): Promise<Payload>;
}

export function accountOf(s: TestServer): AccountVerbs {
  async function ask<Payload>(
    mutation: string,
    input: unknown,
    selection: string,
    token?: string,
  ): Promise<GraphQLAnswer<Record<string, Payload>>> {
    const type = interlockSchema().getMutationType()?.getFields()[mutation]?.args[0]?.type;
    return await s.graphql(
      `mutation ($input: ${String(type)}) { ${mutation}(input: $input) { ${selection} } }`,
      { input },
      token,
    );
  }

  async function run<Payload>(mutation: string, input: unknown, selection: string, token?: string): Promise<Payload> {
    const answer = await ask<Payload>(mutation, input, selection, token);
    if (answer.errors.length > 0) throw new Error(answer.text);
    return answer.data[mutation] as Payload;
  }

  return {
    run,
    async add(handle, { role = 'member', scopes = ['queue:read', 'queue:write'], as } = {}) {
      const email = `${handle}@acme.test`;
      const { user } = await run<{ user: { id: string } }>(
        'addUser',
        { email, handle, role: role.toUpperCase() },
        'user { id }',
        as,
      );
      const { token } = await run<{ token: string }>(
        'createApiToken',
        { name: handle, user: user.id, scopes: scopes.map((scope) => scope.toUpperCase().replace(':', '_')) },
        'token',
        as,
      );
      return { id: user.id, email, handle, token };
    },
    update: async (id, change, token) => await ask('updateUser', { id, ...change }, 'user { role handle }', token),
    remove: async (id, token) => await ask('removeUser', { id }, 'user { email removedAt }', token),
    async team(slug, ...members) {
      const { team } = await run<{ team: { id: string } }>('createTeam', { org: 'acme', slug }, 'team { id }');
      for (const { id } of members) await run('addTeamMember', { team: team.id, user: id }, 'team { id }');
      return team.id;
    },
    async grant(permission, to, repository) {
      await run('grantPermission', { repository, permission, ...to }, 'grant { permission }');
    },
  };
}

/**
 * A token with every scope for a user of each role. The tokens are made while all three users are admins. `as` is the
 * token of an admin of another account.
 */
export async function tokensOfRoles(s: TestServer, as?: string): Promise<ReadonlyMap<Role, string>> {
  const account = accountOf(s);
  const users = [];
  for (const role of roles) users.push({ role, ...(await account.add(role, { role: 'admin', scopes, as })) });
  for (const { role, id } of users) {
    const { errors, text } =
      role === 'admin' ? { errors: [], text: '' } : await account.update(id, { role: role.toUpperCase() }, as);
    if (errors.length > 0) throw new Error(text);
  }
  return new Map(users.map(({ role, token }) => [role, token]));
}
