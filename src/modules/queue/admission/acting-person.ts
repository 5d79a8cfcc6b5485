// Decides who is the actor of a change that a label or a command in a comment causes. The actor is the person who set
// the label or wrote the comment, not the service that read it.
import type { Context } from '../../../context.ts';
import { isBot } from '../../../domain/accounts/github-people.ts';
import type { HostedRepository } from '../../../hosts/port.ts';
import { findEmailOfHandle } from '../../accounts/index.ts';
import type { QueueWork } from '../store/status.writer.ts';

/** A person as a code host reports one. `id` is null if the host reports no id, or if the account is not a person's. */
interface HostPerson {
  readonly login: string;
  readonly id: string | null;
}

/**
 * Returns the email address of the user who is this person, or the handle if there is no user. At GitHub this makes the
 * person a user, so call it only after the request of the person was permitted. Runs a transaction of its own.
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

/** Makes the change, and sets the actor of the events that the change adds. Null: the service is the actor. */
export async function changeAs(work: QueueWork, actor: string | null, change: () => Promise<void>): Promise<void> {
  const { events } = work;
  const from = events.length;
  await change();
  if (actor !== null) events.push(...events.splice(from).map((event) => ({ actor, ...event })));
}
