// Finds the labels that people changed, by comparing two reads of the host, and carries out what the people request by
// these changes.
import { isSameLabel } from '../../../domain/label-names.ts';
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { changedLabels, requestOf, type LabelRequest, type LabelWrite } from '../../../domain/queue/requests/labels.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import { hostClient, type HostPullRequest, type HostedRepository } from '../../../hosts/port.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { changeAs, nameActor } from '../admission/acting-person.ts';
import { enqueue, authorisePerson, refuseSource, requireWriteAccess, dequeue } from '../admission/enqueue.ts';
import { keepWithdrawal, takeBackWithdrawal } from '../store/intents.ts';
import { configurationOf, labelRulesOf } from '../store/rules-in-force.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import { loadPullRequestsBelow } from '../facts/stacks.ts';
import { announce, planLabelWrite, planReply, repositoryOf, type QueueWork } from '../store/status.writer.ts';

export interface LabelAct extends LabelWrite {
  /** The person's handle. Null: the host does not report who changed the label. */
  readonly by: string | null;
  /** The actor in events. Null: the service is the actor, for example because the request is refused. */
  readonly actor: string | null;
  readonly at: number;
  /** Why the request is refused. Null: the request is carried out. */
  readonly refusal: string | null;
}

/** How long a host may show an added label without showing who has added it. */
const shownWithinMs = 2 * 60_000;

export interface ReadLabels {
  readonly acts: readonly LabelAct[];
  /** The added labels of which the host does not show yet who has added them. */
  readonly unseen: readonly LabelWrite[];
}

export const noActs: ReadLabels = { acts: [], unseen: [] };

/**
 * `before.labels` are the labels at the last read of the host. They are ignored if the pull request was just opened.
 * The labels and their changes are two reads, and a host may answer the second one from an older copy. So an added label
 * counts when the host shows who has added it, or when the host has not shown it for two minutes. A removed label counts
 * at once, because the pull request must not land meanwhile.
 */
export async function readLabelActs(
  ctx: Context,
  repository: HostedRepository & Pick<RepositoryRow, 'active' | 'configurationYaml'>,
  {
    seen,
    before,
    isForLanding,
  }: {
    readonly isForLanding: boolean;
    readonly seen: HostPullRequest;
    readonly before: {
      readonly labels: readonly string[];
      readonly labelUnseenSince: Date | null;
      readonly isOpened: boolean;
    };
  },
): Promise<ReadLabels> {
  if (seen.state !== 'open') return noActs;
  const rules = labelRulesOf(configurationOf(repository));
  const now = ctx.clock().getTime();
  const isOverdue = before.labelUnseenSince !== null && now - before.labelUnseenSince.getTime() >= shownWithinMs;
  const acts: LabelAct[] = [];
  const unseen: LabelWrite[] = [];
  for (const write of changedLabels(before.isOpened ? [] : before.labels, seen.labels, rules)) {
    const shown = await hostClient(ctx, repository).readLabelChange(seen.number, write.label, { isForLanding });
    const isShown = shown === null ? before.isOpened : shown.present === write.present;
    if (!isShown && write.present && !isOverdue) {
      unseen.push(write);
      continue;
    }
    const change = isShown ? shown : null;
    // The queue itself changed this label last. Its own changes are no requests, because one change would cause the
    // next.
    if (change?.byQueue) continue;
    const by = change?.by ?? (before.isOpened && isShown ? seen.author : null);
    const refusal = await refusalOf(ctx, repository, { ...write, by, isForLanding });
    const isPerson = refusal === null && by !== null;
    const actor = isPerson ? await nameActor(ctx, repository, { login: by, id: change?.byId ?? null }) : null;
    acts.push({ ...write, by, actor, at: change?.at ?? (isShown ? seen.createdAt : now), refusal });
  }
  return { acts, unseen };
}

async function refusalOf(
  ctx: Context,
  repository: HostedRepository & Pick<RepositoryRow, 'active' | 'configurationYaml'>,
  { label, present, by, isForLanding }: LabelWrite & { readonly by: string | null; readonly isForLanding: boolean },
): Promise<string | null> {
  const { skipLine } = labelRulesOf(configurationOf(repository));
  // An unknown person may only take a pull request out of the line.
  if (by === null && present)
    return 'The code host does not show who has added it. Add it again, or use a command in a comment.';
  try {
    await requireWriteAccess(ctx, repository, { person: by, isForLanding });
    if (!present) return null;
    if (isSameLabel(label, skipLine)) await authorisePerson(ctx, repository, { person: by, skipLine: true });
    else refuseSource(repository, 'label');
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
}

/**
 * Carries out the requests. A refused change of a label is undone, and a comment says why, so that the labels show what
 * is in force.
 */
export async function followLabels(work: QueueWork, row: PullRequestRow, acts: readonly LabelAct[]): Promise<void> {
  if (acts.length === 0) return;
  const repository = await repositoryOf(work);
  const rules = labelRulesOf(configurationOf(repository));
  for (const act of acts) {
    if (act.refusal !== null) {
      const done = act.present ? 'taken off' : 'put back';
      const body = `The label \`${act.label}\` was ${done}: ${act.refusal}`;
      // Hosts report times in whole seconds. A label that is added and removed within one second gets two replies.
      await planReply(work, row.id, { key: `label:${act.label}:${done}:${act.at}`, body });
      await planLabelWrite(work, row.id, { label: act.label, present: !act.present });
    } else {
      const request = requestOf(act, rules);
      await changeAs(work, act.actor, async () => await followLabel(work, repository, { row, act, request }));
    }
  }
}

async function followLabel(
  work: QueueWork,
  repository: RepositoryRow,
  { row, act, request }: { readonly row: PullRequestRow; readonly act: LabelAct; readonly request: LabelRequest },
): Promise<void> {
  switch (request) {
    case 'queue':
      return await followTrigger(work, { repository, row }, act.by);
    case 'dequeue':
      return await followWithdrawal(work, row, act.actor);
    case 'skip_line':
      // Skip line also applies to the pull requests below in the stack.
      for (const each of [...(await loadPullRequestsBelow(work, row)), row])
        Object.assign(each, { skipLine: true, requestedBy: act.by });
      return;
    case 'end_skip_line':
      if (!isQueued(row.status)) Object.assign(row, { skipLine: false, skipLineReason: null });
      return;
    default:
      request satisfies never;
  }
}

async function followTrigger(
  work: QueueWork,
  { repository, row }: { readonly repository: RepositoryRow; readonly row: PullRequestRow },
  by: LabelAct['by'],
): Promise<void> {
  await takeBackWithdrawal(work, row.id);
  if (row.status !== 'open' && row.status !== 'blocked') return;
  announce(work, row, 'labeled');
  await enqueue(work, { repository, row }, { by });
}

async function followWithdrawal(work: QueueWork, row: PullRequestRow, actor: string | null): Promise<void> {
  if (!isQueued(row.status) && row.status !== 'pending') return;
  if (await keepWithdrawal(work, row.id, actor)) return;
  await dequeue(work, row);
}
