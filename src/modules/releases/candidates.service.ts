// Creates release candidates. A candidate never changes: its version always names the same commit.
import type { Context } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { requireVersion, type CandidateVersion } from '../../domain/releases/version.ts';
import { hostClient } from '../../hosts/port.ts';
import type { Transaction } from '../../platform/database.ts';
import { recordUserAction, requireScope } from '../accounts/index.ts';
import { findRepository, requireActive, lockRepositoryForShare } from '../repositories/index.ts';
import type { RepositoryRow } from '../repositories/repositories.entities.ts';
import { announceCandidate } from './candidates.events.ts';
import { findCandidate } from './candidates.reads.ts';
import { loadReleaseProject } from './projects.reads.ts';
import type { ReleaseProject } from './projects.types.ts';

export interface CreateReleaseRequest {
  readonly project: string;
  readonly version: string;
  /** `<owner>/<name>`. */
  readonly repository: string;
  readonly commit: string;
  readonly triggerBuildWorkflow?: boolean | null;
}

interface NewCandidate {
  readonly project: ReleaseProject;
  readonly version: string;
  readonly parts: CandidateVersion;
  readonly commit: string;
  readonly isBuilt: boolean;
}

/**
 * Returns the id of the new candidate, or of the candidate that already exists with this version and commit. A request
 * with several faults is refused for the first of them in the order of interface 7.
 */
export async function createRelease(ctx: Context, request: CreateReleaseRequest): Promise<string> {
  requireScope(ctx, 'release:write');
  const project = await loadReleaseProject(ctx, request.project, 'release:write');
  const parts = requireVersion(request.version);
  const repository = await requireRepository(ctx, project, request.repository);
  const known = await findCandidate(ctx, project.id, request.version);
  if (known && known.commit === request.commit.toLowerCase()) return known.id;
  const commit = await requireCommit(ctx, repository, request.commit);
  if (known) return requireSameCommit(known, commit);
  const isBuilt = request.triggerBuildWorkflow ?? false;
  if (isBuilt && project.build === null) {
    throw new DomainError(
      'BAD_INPUT',
      `trigger_build_workflow needs a build action, and ${project.name} has none: set one with updateReleaseProject`,
      'input.triggerBuildWorkflow',
    );
  }
  const candidate: NewCandidate = { project, version: request.version, parts, commit, isBuilt };
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    requireActive(await lockRepositoryForShare(tx, repository.id));
    return await insertCandidate(ctx, tx, candidate);
  });
}

// A repository that is not the project's repository is refused with the message for an unknown repository.
async function requireRepository(ctx: Context, project: ReleaseProject, nameWithOwner: string): Promise<RepositoryRow> {
  const [, owner, name] = /^([^/\s]+)\/([^/\s]+)$/.exec(nameWithOwner) ?? [];
  const found = owner !== undefined && name !== undefined ? await findRepository(ctx, { owner, name }) : null;
  if (found?.id !== project.repositoryId) throw notFound('GitHub repository');
  return found;
}

async function requireCommit(ctx: Context, repository: RepositoryRow, text: string): Promise<string> {
  const commit = text.toLowerCase();
  const isKnown = /^[0-9a-f]{40}$/.test(commit) && (await hostClient(ctx, repository).readCommit(commit)) !== null;
  if (!isKnown) throw new DomainError('BAD_INPUT', 'Invalid commit hash', 'input.commit');
  return commit;
}

function requireSameCommit(known: { readonly id: string; readonly commit: string }, commit: string): string {
  if (known.commit !== commit)
    throw new DomainError('BAD_INPUT', 'Release candidate exists at another commit', 'input.commit');
  return known.id;
}

async function insertCandidate(ctx: Context, tx: Transaction, candidate: NewCandidate): Promise<string> {
  const { project, version, commit, isBuilt } = candidate;
  const releaseId = await findOrInsertRelease(ctx, tx, candidate);
  const now = ctx.clock().toISOString();
  const [row] = await tx.query<{ id: string }>(
    `insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, next_look_at, actor, created_at, ended_at, git_look_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $11) on conflict (account_id, project_id, version) do nothing returning id`,
    [
      ctx.accountId,
      project.id,
      releaseId,
      version,
      candidate.parts.number,
      commit,
      project.repositoryId,
      isBuilt ? 'building' : 'ready',
      isBuilt ? now : null,
      ctx.actor.email ?? 'interlock',
      now,
      isBuilt ? null : now,
    ],
  );
  if (row === undefined) return await findConcurrentCandidate(ctx, tx, candidate);
  const actions = isBuilt ? (['candidate_created'] as const) : (['candidate_created', 'candidate_ready'] as const);
  await announceCandidate(ctx, tx, { id: row.id, actions });
  await recordUserAction(ctx, tx, { action: 'release_candidate_created', target: `${project.name}/${version}` });
  if (isBuilt) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, candidateId: row.id }));
  return row.id;
}

async function findOrInsertRelease(ctx: Context, tx: Transaction, { project, parts }: NewCandidate): Promise<string> {
  const values = [ctx.accountId, project.id, parts.release];
  const find = 'select id from release where account_id = $1 and project_id = $2 and version = $3';
  await tx.send(
    `insert into release (account_id, project_id, version, created_at) values ($1, $2, $3, $4)
     on conflict (account_id, project_id, version) do nothing`,
    [...values, ctx.clock().toISOString()],
  );
  const [row] = await tx.query<{ id: string }>(find, values);
  if (row === undefined) throw new Error(`The release ${parts.release} is gone.`);
  return row.id;
}

async function findConcurrentCandidate(
  ctx: Context,
  tx: Transaction,
  { project, version, commit }: NewCandidate,
): Promise<string> {
  const [known] = await tx.query<{ id: string; commit: string }>(
    'select id, commit from release_candidate where account_id = $1 and project_id = $2 and version = $3',
    [ctx.accountId, project.id, version],
  );
  if (known === undefined) throw new Error(`The candidate ${version} is gone.`);
  return requireSameCommit(known, commit);
}
