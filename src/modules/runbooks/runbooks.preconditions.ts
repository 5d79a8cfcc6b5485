// Preconditions that every request for a runbook must meet.
import { hasLabel } from '../../domain/label-names.ts';
import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { hostClient, HostRefused } from '../../hosts/port.ts';
import { canSkipLine, requireScope } from '../accounts/index.ts';
import { labelRulesOf } from '../queue/index.ts';
import { configurationOf } from '../repositories/index.ts';
import type { RepositoryRow } from '../repositories/repositories.entities.ts';

export async function requireBranch(ctx: Context, repository: RepositoryRow, branch: string): Promise<void> {
  const found = await hostClient(ctx, repository)
    .readRef(`refs/heads/${branch}`)
    .catch((error: unknown) => {
      if (error instanceof HostRefused) return null;
      throw error;
    });
  if (found !== null) return;
  const { owner, name } = repository;
  throw new DomainError(
    'BAD_INPUT',
    `target_branch must be a branch of ${owner}/${name}, and ${JSON.stringify(branch.slice(0, 255))} is none: push it, or name another`,
    'input.targetBranch',
  );
}

/**
 * Throws FORBIDDEN if the pull requests of the runbook are queued, and the caller may not queue. They are queued later
 * in the name of the author, so every prompt needs the scope.
 */
export function requireRightToQueue(ctx: Context, { queueWhenGreen }: { readonly queueWhenGreen: boolean }): void {
  if (queueWhenGreen) requireScope(ctx, 'queue:write');
}

/**
 * Throws FORBIDDEN if a label would queue a pull request or skip the line, and the caller may not do this. The labels
 * are added later in the name of the runbook's author, whose permissions the queue then checks too.
 */
export async function requireRightToLabel(
  ctx: Context,
  repository: RepositoryRow,
  labels: readonly string[],
): Promise<void> {
  const { trigger, skipLine } = labelRulesOf(configurationOf(repository));
  if (labels.some((label) => hasLabel([trigger, skipLine], label))) requireScope(ctx, 'queue:write');
  if (skipLine !== '' && hasLabel(labels, skipLine) && !(await canSkipLine(ctx, repository.id)))
    throw new DomainError(
      'FORBIDDEN',
      `The label ${skipLine} skips the line, which you are not authorized to do in this repository`,
      'input.labels',
    );
}

export function actorOf(ctx: Context): string {
  return ctx.actor.email ?? 'interlock';
}
