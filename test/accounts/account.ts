// Functions for what an admin of the first account does with users, teams and permissions.
import type { Role, Scope } from '../../src/context.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import type { GraphQLAnswer, TestServer } from '../support/server.ts';

export interface AddedUser {
  readonly id: string;
  readonly email: string;
  readonly handle: string;
  /** A token that an admin made for the user. */
  readonly token: string;
}

export interface AccountVerbs {
  /** Adds the user `<handle>@acme.test` and gives it a token. */
  add(handle: string, as?: { readonly role?: Role; readonly scopes?: readonly Scope[] }): Promise<AddedUser>;
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
    async add(handle, { role = 'member', scopes = ['queue:read', 'queue:write'] } = {}) {
      const email = `${handle}@acme.test`;
      const { user } = await run<{ user: { id: string } }>(
        'addUser',
        { email, handle, role: role.toUpperCase() },
        'user { id }',
      );
      const { token } = await run<{ token: string }>(
        'createApiToken',
        { name: handle, user: user.id, scopes: scopes.map((scope) => scope.toUpperCase().replace(':', '_')) },
        'token',
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
