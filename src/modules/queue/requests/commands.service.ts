// Carries out commands in comments (`/interlock queue`). Each command is carried out once: its changes and the row that
// marks it as handled are written in one transaction. A refusal is a reply on the pull request with the sentence that
// the API would give. After other failures a command is tried again for a few minutes. Comments are handled in order,
// so later comments wait.
import type { Context } from '../../../context.ts';
import { DomainError, isTemporary } from '../../../domain/errors.ts';
import { configurationOf } from '../../repositories/index.ts';
import {
  helpText,
  isPassedOver,
  readCommands,
  type Command,
  type InvalidCommand,
} from '../../../domain/queue/requests/commands.ts';
import { hostClient, type HostComment, toHostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { nameActor } from '../admission/acting-person.ts';
import { enqueue, authorisePerson, refuseSource, refuseUnlessAllowed, type SkipOptions } from '../admission/enqueue.ts';
import { requestBackport, requestRefresh, requestSync } from './branch-work.service.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { dequeueKnown } from './queue.service.ts';
import { changePullRequest, readFreshPullRequest } from './pull-request.changes.ts';
import { planReply } from '../store/status.writer.ts';

/**
 * Handles the comments since the cursor. If several processes read the same comments, one of them carries out each
 * command.
 */
export async function followComments(ctx: Context, repositoryId: string): Promise<void> {
  const repository = await ctx.db.load(ctx.accountId, RepositoryEntity, repositoryId);
  if (repository === null) throw new Error(`There is no repository ${repositoryId}.`);
  const host = toHostedRepository(repository);
  for (;;) {
    const cursor = await readCursor(ctx, repositoryId);
    const read = await hostClient(ctx, host).listCommentsAfter({
      cursor,
      since: repository.createdAt.getTime(),
    });
    for (const comment of read.comments) await followComment(ctx, repository, comment);
    if (read.cursor !== cursor) await keepCursor(ctx, repositoryId, read.cursor);
    if (!read.hasMore) return;
  }
}

async function readCursor(ctx: Context, repositoryId: string): Promise<string | null> {
  const [row] = await ctx.db.read<{ cursor: string }>(ctx.accountId, {
    name: 'comment_cursor',
    text: 'select cursor from comment_cursor where account_id = $1 and repository_id = $2',
    values: [ctx.accountId, repositoryId],
  });
  return row?.cursor ?? null;
}

async function keepCursor(ctx: Context, repositoryId: string, cursor: string): Promise<void> {
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.send(
        `insert into comment_cursor (account_id, repository_id, cursor) values ($1, $2, $3)
         on conflict (account_id, repository_id) do update set cursor = excluded.cursor`,
        [ctx.accountId, repositoryId, cursor],
      ),
  );
}

interface ReceivedCommand {
  readonly repository: RepositoryRow;
  readonly comment: HostComment;
  readonly ordinal: number;
  readonly known: PullRequestRow;
}

async function followComment(ctx: Context, repository: RepositoryRow, comment: HostComment): Promise<void> {
  const commands = readCommands(comment.body);
  if (commands.length === 0) return;
  const read = { repository, comment, commands };
  try {
    await followCommands(ctx, read);
  } catch (error) {
    if (!isPassedOver(await countFailure(ctx, repository.id, comment.id))) throw error;
    ctx.log.error({ err: error, comment: comment.id, number: comment.number }, 'A comment was skipped.');
    await refuseComment(ctx, read, error);
  }
}

interface ReadComment {
  readonly repository: RepositoryRow;
  readonly comment: HostComment;
  readonly commands: readonly (Command | InvalidCommand)[];
}

async function followCommands(ctx: Context, { repository, comment, commands }: ReadComment): Promise<void> {
  const known = await readFreshPullRequest(ctx, repository, comment.number).catch(ignoreUnknown);
  if (known === null) return;
  for (const [ordinal, command] of commands.entries()) {
    const given = { repository, comment, ordinal, known };
    if (await isHandled(ctx, given)) continue;
    try {
      await carryOutCommand(ctx, given, command);
    } catch (error) {
      if (!(error instanceof DomainError) || isTemporary(error)) throw error;
      await answer(ctx, given, { command, body: error.message, isRefusal: true });
    }
  }
}

function ignoreUnknown(error: unknown): null {
  if (error instanceof DomainError && error.code === 'NOT_FOUND') return null;
  throw error;
}

async function countFailure(
  ctx: Context,
  repositoryId: string,
  commentId: string,
): Promise<{ attempts: number; failingForMs: number }> {
  const now = ctx.clock();
  const [row] = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ tries: number; since: string }>(
        `insert into comment_failure as f (account_id, repository_id, comment_id, tries, first_failed_at) values ($1, $2, $3, 1, $4)
         on conflict (account_id, repository_id) do update set comment_id = excluded.comment_id,
           tries = case when f.comment_id = excluded.comment_id then f.tries + 1 else 1 end,
           first_failed_at = case when f.comment_id = excluded.comment_id then f.first_failed_at else excluded.first_failed_at end
         returning tries, first_failed_at as since`,
        [ctx.accountId, repositoryId, commentId, now.toISOString()],
      ),
  );
  return {
    attempts: row?.tries ?? 0,
    failingForMs: row === undefined ? 0 : now.getTime() - new Date(row.since).getTime(),
  };
}

/**
 * Refuses all commands of the comment that were not carried out, with one reply on the pull request. If there is no row
 * of the pull request, there is no reply.
 */
async function refuseComment(
  ctx: Context,
  { repository, comment, commands }: ReadComment,
  error: unknown,
): Promise<void> {
  const reason = error instanceof DomainError ? error.message : 'an error of the service, which is in its log.';
  const refusal = `This could not be carried out: ${reason} Ask again.`;
  const known = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.em.findOne(PullRequestEntity, {
        accountId: ctx.accountId,
        repositoryId: repository.id,
        number: comment.number,
      }),
  );
  if (known === null) return;
  await changePullRequest(ctx, known, async (work, row) => {
    let isAnswered = true;
    for (const [ordinal, command] of commands.entries())
      if (await claim(work, { repository, comment, ordinal, known }, { command, refusal })) isAnswered = false;
    if (!isAnswered)
      await planReply(work, row.id, { key: `${comment.id}:passed-over`, body: `@${comment.author} ${refusal}` });
  });
}

async function carryOutCommand(ctx: Context, given: ReceivedCommand, command: Command | InvalidCommand): Promise<void> {
  const { repository, comment } = given;
  if (!comment.mayWrite)
    throw new DomainError('FORBIDDEN', 'Only people who can write to the repository can give commands here.');
  switch (command.kind) {
    case 'queue':
      return await queueFor(ctx, given, { command, skips: {} });
    case 'skip_line':
      return await queueFor(ctx, given, { command, skips: { skipLine: true, skipLineReason: command.reason } });
    case 'skip_validation':
      return await queueFor(ctx, given, { command, skips: { skipValidation: true } });
    case 'dequeue':
      await refuseUnlessAllowed(ctx, repository, { command: 'dequeue', person: comment.author });
      await dequeueKnown(
        await actAs(ctx, given),
        given.known,
        async (work) => await claim(work, given, { command, refusal: null }),
      );
      return;
    case 'help':
      return await answer(ctx, given, { command, body: helpText(commandsOf(repository)), isRefusal: false });
    case 'invalid':
      throw new DomainError('BAD_INPUT', command.text);
    case 'refresh':
    case 'sync':
    case 'backport':
      return await requestBranchWork(ctx, given, command);
    default:
      command satisfies never;
  }
}

/** Returns the context of the service, which has all permissions, with the author of the comment as actor. */
async function actAs(ctx: Context, { repository, comment: { author, authorId } }: ReceivedCommand): Promise<Context> {
  const email = await nameActor(ctx, toHostedRepository(repository), { login: author, id: authorId });
  return { ...ctx, actor: { ...ctx.actor, handle: author, email } };
}

/** The commands that the configuration of the repository permits. */
function commandsOf(repository: RepositoryRow): readonly Command['kind'][] {
  const blocked: readonly string[] = configurationOf(repository).merge_rules.blocked_queue_sources;
  return blocked.includes('slash_command')
    ? allCommands.filter((kind) => !queueingCommands.includes(kind))
    : allCommands;
}

const queueingCommands: readonly Command['kind'][] = ['queue', 'skip_line', 'skip_validation'];
const allCommands = [
  'queue',
  'dequeue',
  'skip_line',
  'skip_validation',
  'refresh',
  'sync',
  'backport',
  'help',
] as const;

// The branch work is planned before the command is marked as handled, in another transaction. If the process dies
// between the two, the command is carried out again, which is harmless.
async function requestBranchWork(
  ctx: Context,
  given: ReceivedCommand,
  command: Extract<Command, { kind: 'refresh' | 'sync' | 'backport' }>,
): Promise<void> {
  const { repository, known } = given;
  const reference = { repository: { owner: repository.owner, name: repository.name }, number: known.number };
  const person = await actAs(ctx, given);
  if (command.kind === 'refresh') await requestRefresh(person, reference);
  else if (command.kind === 'sync') await requestSync(person, reference);
  else await requestBackport(person, { ...reference, targetBranch: command.branch });
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await claim({ ctx, tx, now: ctx.clock() }, given, { command, refusal: null }),
  );
}

async function queueFor(
  ctx: Context,
  given: ReceivedCommand,
  { command, skips }: { readonly command: Command; readonly skips: SkipOptions },
): Promise<void> {
  const { repository, comment, known } = given;
  const { author } = comment;
  refuseSource(repository, 'slash_command');
  if (skips.skipLine || skips.skipValidation) await authorisePerson(ctx, repository, { ...skips, person: author });
  await changePullRequest(await actAs(ctx, given), known, async (work, row) => {
    if (!(await claim(work, given, { command, refusal: null }))) return;
    const onBehalfOf = skips.skipLine || skips.skipValidation ? { requestedBy: author } : {};
    await enqueue(work, { repository, row }, { ...skips, ...onBehalfOf, by: author });
  });
}

async function answer(
  ctx: Context,
  given: ReceivedCommand,
  reply: { readonly command: Command | InvalidCommand; readonly body: string; readonly isRefusal: boolean },
): Promise<void> {
  const { comment, ordinal } = given;
  await changePullRequest(ctx, given.known, async (work, row) => {
    const isClaimed = await claim(work, given, {
      command: reply.command,
      refusal: reply.isRefusal ? reply.body : null,
    });
    if (isClaimed)
      await planReply(work, row.id, { key: `${comment.id}:${ordinal}`, body: `@${comment.author} ${reply.body}` });
  });
}

async function isHandled(ctx: Context, { repository, comment, ordinal }: ReceivedCommand): Promise<boolean> {
  const rows = await ctx.db.read(ctx.accountId, {
    name: 'comment_command_handled',
    text: 'select 1 from comment_command where account_id = $1 and repository_id = $2 and comment_id = $3 and ordinal = $4',
    values: [ctx.accountId, repository.id, comment.id, ordinal],
  });
  return rows.length > 0;
}

/** Marks a command as handled. False: it was handled before, or another process is handling it now. */
async function claim(
  { ctx, tx, now }: { readonly ctx: Context; readonly tx: Transaction; readonly now: Date },
  { repository, comment, ordinal, known }: ReceivedCommand,
  { command, refusal }: { readonly command: Command | InvalidCommand; readonly refusal: string | null },
): Promise<boolean> {
  const claimed = await tx.query(
    `insert into comment_command (account_id, repository_id, comment_id, ordinal, pull_request_id, command, author, refusal, handled_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing returning 1`,
    [
      ctx.accountId,
      repository.id,
      comment.id,
      ordinal,
      known.id,
      command.kind,
      comment.author,
      refusal,
      now.toISOString(),
    ],
  );
  return claimed.length > 0;
}
