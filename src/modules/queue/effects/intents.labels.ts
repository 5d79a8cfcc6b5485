// Writes labels at the host.
import { hasLabel, isSameLabel } from '../../../domain/label-names.ts';
import type { Context } from '../../../context.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import type { Transaction } from '../../../platform/database.ts';
import { hostClient, HostRefused, toHostedRepository, type HostedRepository } from '../../../hosts/port.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { configurationOf, labelRulesOf } from '../store/rules-in-force.ts';
import { finishIntent } from '../store/intents.ts';
import { PullRequestEntity, type IntentRow, type PullRequestRow } from '../store/queue.entities.ts';

interface Labelling {
  readonly host: HostedRepository;
  readonly number: number;
  readonly label: string;
  readonly present: boolean;
  readonly isWanted: boolean;
}

export async function writeLabel(ctx: Context, intent: IntentRow): Promise<void> {
  const { host, number, label, present, isWanted } = await startLabel(ctx, intent);
  if (isWanted) {
    const last = await hostClient(ctx, host).readLabelChange(number, label);
    // A person has changed the label since. That change is a request, and is not undone.
    const hasPersonChanged = last !== null && !last.byQueue && last.at > Number(intent.payload['at']);
    if (!hasPersonChanged) await setLabel(ctx, intent, { host, number, label, present });
  }
  await finishIntent(ctx, intent);
}

async function setLabel(
  ctx: Context,
  intent: IntentRow,
  { host, number, label, present }: Omit<Labelling, 'isWanted'>,
): Promise<void> {
  const client = hostClient(ctx, host);
  try {
    await client.setLabel(number, { label, present });
  } catch (error) {
    // After a refusal the label is missing, or somebody else added the label. It must not count as the queue's own,
    // because a label that a person adds would then be no request.
    if (error instanceof HostRefused && present) {
      const last = await client.readLabelChange(number, label);
      if (!last?.present || !last.byQueue) await forgetLabel(ctx, intent, label);
    }
    throw error;
  }
}

async function forgetLabel(ctx: Context, { pullRequestId = null }: IntentRow, label: string): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const kept = (await lockOwnLabels(ctx, tx, pullRequestId)).filter((each) => !isSameLabel(each, label));
    await writeOwnLabels(ctx, tx, { pullRequestId, labels: kept });
  });
}

/** The queue's own labels of the pull request, which nobody else changes until the end of the transaction. */
async function lockOwnLabels(ctx: Context, tx: Transaction, pullRequestId: string | null): Promise<readonly string[]> {
  const [row] = await tx.query<{ labels: string[] }>(
    'select queue_labels as labels from pull_request where account_id = $1 and id = $2 for no key update',
    [ctx.accountId, pullRequestId],
  );
  return row?.labels ?? [];
}

async function writeOwnLabels(
  ctx: Context,
  tx: Transaction,
  { pullRequestId, labels }: { readonly pullRequestId: string | null; readonly labels: readonly string[] },
): Promise<void> {
  await tx.send('update pull_request set queue_labels = $3 where account_id = $1 and id = $2', [
    ctx.accountId,
    pullRequestId,
    labels,
  ]);
}

/**
 * Records a label as the queue's own before the label is added, so that no reader takes it for a request of a person.
 */
async function startLabel(ctx: Context, intent: IntentRow): Promise<Labelling> {
  const label = String(intent.payload['label']);
  const present = intent.payload['present'] === true;
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await tx.em.findOneOrFail(PullRequestEntity, { id: intent.pullRequestId ?? '' });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
    const rules = labelRulesOf(configurationOf(repository));
    const isWanted = isStillWanted(row, { label, present, blocked: rules.blocked, trigger: rules.trigger });
    // This updates the row by SQL and not by the entity, because the row was read without a lock, and a read of the
    // host may have changed it.
    if (isWanted && present) {
      const own = await lockOwnLabels(ctx, tx, row.id);
      if (!hasLabel(own, label)) await writeOwnLabels(ctx, tx, { pullRequestId: row.id, labels: [...own, label] });
    }
    return { host: toHostedRepository(repository), number: row.number, label, present, isWanted };
  });
}

function isStillWanted(
  { status }: PullRequestRow,
  write: { readonly label: string; readonly present: boolean; readonly blocked: string; readonly trigger: string },
): boolean {
  if (isSameLabel(write.label, write.blocked)) return (status === 'blocked') === write.present;
  // In the meantime the pull request may have been requested again or taken out of the line.
  if (isSameLabel(write.label, write.trigger)) return (isQueued(status) || status === 'pending') === write.present;
  return true;
}
