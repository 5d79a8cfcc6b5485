// Mutations that create a repository or move refs.
import { accountOf } from '../auth/actor.ts';
import { GitError } from '../git/run.ts';
import { announceMoves } from '../git/push.ts';
import { type RefChange, zeroId } from '../git/store.ts';
import { parseNodeId } from '../model/ids.ts';
import { makeRepository } from '../model/seed.ts';
import type { Repository } from '../model/types.ts';
import { findRepository } from '../http/reach.ts';
import { GraphqlFault } from './fault.ts';
import { viewRepository } from './repository.ts';
import type { ViewContext, View } from './view-context.ts';

type Input = Readonly<Record<string, unknown>>;

export async function createRepository(context: ViewContext, input: Input): Promise<View> {
  const { core, actor } = context;
  const sender = accountOf(actor);
  if (actor.kind !== 'user') throw new GraphqlFault('FORBIDDEN', 'Resource not accessible by integration');
  const given = typeof input['ownerId'] === 'string' ? parseNodeId(input['ownerId'])?.id : sender.id;
  const owner = core.state.accounts.get(given);
  const isMember = core.state.memberships.find(
    (each) => each.organizationId === owner?.id && each.userId === sender.id,
  );
  if (owner === undefined || (owner.id !== sender.id && isMember === undefined))
    throw new GraphqlFault(
      'FORBIDDEN',
      `${sender.login} does not have the correct permissions to execute \`CreateRepository\``,
    );
  const name = String(input['name']);
  if (findRepository(core, owner.login, name) !== undefined)
    throw new GraphqlFault('UNPROCESSABLE', 'Name already exists on this account');
  const repository = makeRepository(core, {
    owner,
    name,
    isPrivate: input['visibility'] !== 'PUBLIC',
    description: typeof input['description'] === 'string' ? input['description'] : null,
  });
  await core.git.create(repository);
  core.emit({ name: 'repository', action: 'created', repository, sender });
  return { repository: viewRepository(context, repository) };
}

interface RefUpdate {
  readonly name: string;
  readonly afterOid: string;
  readonly beforeOid?: string | null;
  readonly force?: boolean | null;
}

/** Moves all the refs or none. A `beforeOid` of zeros requires that the ref does not exist. */
export async function moveRefs({ core, actor }: ViewContext, repository: Repository, input: Input): Promise<View> {
  const updates = input['refUpdates'] as readonly RefUpdate[];
  await core.git.runAlone(repository, async () => {
    const changes: RefChange[] = [];
    for (const update of updates) changes.push(await readChange(update));
    const git = async (args: readonly string[], more = {}) => await core.git.run(repository, args, more);
    const [refusal] = await core.rules({ repository, actor, changes, via: 'api', git });
    if (refusal !== undefined) throw new GraphqlFault('UNPROCESSABLE', refusal.api.message);
    try {
      await core.git.updateRefs(repository, changes);
    } catch (error) {
      if (error instanceof GitError) throw new GraphqlFault('UNPROCESSABLE', 'Reference update failed');
      throw error;
    }
    await announceMoves(core, repository, { actor, moved: changes });
  });
  return {};

  async function readChange(update: RefUpdate): Promise<RefChange> {
    const { name: ref, afterOid, beforeOid = null, force } = update;
    const from = (await core.git.listRefs(repository, ref)).get(ref) ?? null;
    const to = afterOid === zeroId ? null : afterOid;
    if (beforeOid !== null && beforeOid !== (from ?? zeroId))
      throw new GraphqlFault('STALE_DATA', `Reference ${ref} was not at the expected commit.`);
    if (to !== null && (await core.git.resolve(repository, to)) === null)
      throw new GraphqlFault('UNPROCESSABLE', `Object ${to} does not exist.`);
    if (from !== null && to !== null && force !== true && !(await core.git.isAncestor(repository, from, to)))
      throw new GraphqlFault('UNPROCESSABLE', `Reference ${ref} cannot be fast forwarded to the given commit.`);
    return { ref, from, to };
  }
}
