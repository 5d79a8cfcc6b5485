// People of GitHub are admitted with the role that GitHub gives them now, by whichever way they sign in.
import type { Role } from '../context.ts';
import { DomainError } from '../domain/errors.ts';
import type { Authenticator, Session } from '../modules/accounts/index.ts';
import type { RoleOfPerson } from '../modules/github/index.ts';

export function askingGitHub(authenticator: Authenticator, roleOf: RoleOfPerson): Authenticator {
  const admit = async (session: Session): Promise<Session> => {
    const { ctx } = session;
    if (ctx.actor.atGitHub === null) return session;
    const role = await roleOf(ctx);
    if (role === null)
      throw new DomainError(
        'FORBIDDEN',
        `${ctx.actor.atGitHub.login} has no access to this account at GitHub any more.`,
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
  };
}

function withRole({ ctx, expiresAt }: Session, role: Role): Session {
  return { ctx: { ...ctx, actor: { ...ctx.actor, role } }, expiresAt };
}
