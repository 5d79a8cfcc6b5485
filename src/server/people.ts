// People of GitHub and of the OpenID provider are admitted with the role that they have there now, by whichever way they
// sign in.
import type { Role } from '../context.ts';
import { DomainError } from '../domain/errors.ts';
import type { Authenticator, Session } from '../modules/accounts/index.ts';
import type { RoleOfPerson } from '../modules/github/index.ts';
import type { ConfirmPerson } from '../modules/oidc/index.ts';

export function askingAboutPeople(
  authenticator: Authenticator,
  { roleAtGitHub, confirmAtOidc }: { readonly roleAtGitHub: RoleOfPerson; readonly confirmAtOidc: ConfirmPerson },
): Authenticator {
  const admit = async <T extends Session>(session: T): Promise<T> => {
    const { ctx } = session;
    const { atGitHub } = ctx.actor;
    const role = atGitHub === null ? await confirmAtOidc(ctx) : await roleAtGitHub(ctx);
    if (role === null)
      throw new DomainError(
        'FORBIDDEN',
        `${atGitHub?.login ?? 'This user'} has no access to this account at GitHub any more.`,
      );
    return role === ctx.actor.role ? session : withRole(session, role);
  };
  return {
    ...authenticator,
    authenticate: async (authorization, requestId) =>
      await admit(await authenticator.authenticate(authorization, requestId)),
    authenticateToken: async (token, requestId) => await admit(await authenticator.authenticateToken(token, requestId)),
    authenticateSession: async (secret, requestId, options) =>
      await admit(await authenticator.authenticateSession(secret, requestId, options)),
    authenticateEmbed: async (key, requestId) => await admit(await authenticator.authenticateEmbed(key, requestId)),
  };
}

function withRole<T extends Session>(session: T, role: Role): T {
  const { ctx } = session;
  return { ...session, ctx: { ...ctx, actor: { ...ctx.actor, role } } };
}
