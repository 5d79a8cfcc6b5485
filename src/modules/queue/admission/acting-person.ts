// Who is named as the actor of what a label or a command in a comment causes: the person, and not the service that read
// it.
import type { Context } from '../../../context.ts';
import { isBot } from '../../../domain/accounts/github-people.ts';
import type { HostedRepository } from '../../../hosts/port.ts';
import { findEmailOfHandle } from '../../accounts/index.ts';
import type { QueueWork } from '../store/status.writer.ts';

/** A person as a code host names it. `id`: null where the host has none, or it is no person. */
interface HostPerson {
  readonly login: string;
  readonly id: string | null;
}

/**
 * The email address of the user who is this person, and otherwise the handle. At GitHub the person becomes a user, so
 * ask only about a person who may do what was asked. Makes a transaction of its own.
 */
export async function nameActor(
  ctx: Context,
  repository: HostedRepository,
  { login, id }: HostPerson,
): Promise<string> {
  if (repository.host === 'github' && isBot(login)) return login;
  const email =
    repository.host === 'github' && id !== null
      ? await ctx.admitPerson?.(ctx.accountId, { repositoryId: repository.id, id, login })
      : await findEmailOfHandle(ctx, login);
  return email ?? login;
}

/** Names the actor in the events that the change adds. Null: nobody is known, and the service is the actor. */
export async function changeAs(work: QueueWork, actor: string | null, change: () => Promise<void>): Promise<void> {
  const { events } = work;
  const from = events.length;
  await change();
  if (actor !== null) events.push(...events.splice(from).map((event) => ({ actor, ...event })));
}
