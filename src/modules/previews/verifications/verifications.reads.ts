// Reads verifications for GraphQL, and the addresses of their previews.
import type DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import { notFound } from '../../../domain/errors.ts';
import { previewUrl } from '../../../domain/previews/address.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { loadOne } from '../../../graphql/loaders.ts';
import { requireScope } from '../../accounts/index.ts';
import type { Preview, Verification, VerificationStep } from './verifications.types.ts';

const columns = `v.id, v.status, v.cause, v.head_commit as "headCommit", v.attempt, v.degraded, v.summary, v.problem,
  case when v.status = 'waiting' then v.wait_until end as "waitUntil", v.cancel_requested_at is not null as "cancelRequested",
  v.created_by as "createdBy", v.created_at as "createdAt", v.started_at as "startedAt", v.ended_at as "endedAt",
  v.repository_id as "repositoryId", v.pull_request_id as "pullRequestId", v.registration_id as "registrationId",
  v.preview as entry, s.slug, s.expires_at as "sandboxExpiresAt", s.gone_at as "sandboxGoneAt",
  case when r.id is not null then jsonb_build_object('url', r.url, 'expiresAt', r.expires_at, 'endedAt', r.ended_at) end as endpoint`;
const joins = `left join preview_sandbox s on s.account_id = v.account_id and s.verification_id = v.id and s.ready_at is not null
  left join preview_registration r on r.account_id = v.account_id and r.id = v.registration_id`;

/** The preview of a verification. Null: the verification uses no preview, or this is not decided yet. */
export function previewOf(ctx: Context, verification: Verification): Preview | null {
  const { entry } = verification;
  if (entry === null) return null;
  const { name, method } = entry;
  const stay = stayOf(ctx, verification);
  if (stay === null) return { name, method, url: null, expiresAt: null, endedAt: null };
  const { url, expiresAt, goneAt } = stay;
  const isExpired = expiresAt <= ctx.clock() && (goneAt === null || expiresAt < goneAt);
  const endedAt = isExpired ? expiresAt : goneAt;
  return { name, method, url, expiresAt: endedAt === null ? expiresAt : null, endedAt };
}

interface Stay {
  readonly url: string;
  readonly expiresAt: Date;
  readonly goneAt: Date | null;
}

/** The address of a preview, and the times of its end. Null: the preview was not ready yet. */
function stayOf(ctx: Context, { slug, sandboxExpiresAt, sandboxGoneAt, endpoint, endedAt }: Verification): Stay | null {
  // No sandbox outlives its verification. If the verification was given up, the end of its sandbox may not be recorded
  // yet.
  if (slug !== null && sandboxExpiresAt !== null)
    return { url: previewUrl(ctx.publicUrl, slug), expiresAt: sandboxExpiresAt, goneAt: sandboxGoneAt ?? endedAt };
  if (endpoint === null) return null;
  return {
    url: endpoint.url,
    expiresAt: new Date(endpoint.expiresAt),
    goneAt: endpoint.endedAt === null ? null : new Date(endpoint.endedAt),
  };
}

export function verificationById(ctx: GraphQLContext): DataLoader<string, Verification | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'queue:read');
    return await ctx.db.read<Verification>(ctx.accountId, {
      name: 'verifications_by_id',
      text: `select ${columns} from verification v ${joins} where v.account_id = $1 and v.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
  });
}

// All pull requests with the same head share the verifications of this commit.
const ofPullRequest = (limit: string, before = '') => `
  select v.id from verification v where v.account_id = p.account_id and v.pull_request_id = p.id ${before} order by v.id desc limit ${limit})
  union (
  select v.id from verification v
  where v.account_id = p.account_id and v.repository_id = p.repository_id and v.head_commit = p.head_sha ${before}
  order by v.id desc limit ${limit}`;

/** The newest verification of each pull request or of its head. */
export function newestVerification(ctx: GraphQLContext): DataLoader<string, Verification | null> {
  return loadOne('of', async (pullRequestIds) => {
    requireScope(ctx, 'queue:read');
    return await ctx.db.read<Verification & { of: string }>(ctx.accountId, {
      name: 'verification_newest_of_pull_requests',
      text: `select p.id as of, ${columns} from pull_request p
             join lateral (select max(ids.id) as id from ((${ofPullRequest('1')})) ids) newest on newest.id is not null
             join verification v on v.account_id = p.account_id and v.id = newest.id ${joins}
             where p.account_id = $1 and p.id = any ($2::bigint[])`,
      values: [ctx.accountId, pullRequestIds],
    });
  });
}

export interface VerificationPage {
  readonly size: number;
  readonly before: string;
}

/** Returns the newest verifications first. Reads one more than `size`, which shows whether there is a next page. */
export async function readVerifications(
  ctx: Context,
  pullRequestId: string,
  { size, before }: VerificationPage,
): Promise<Verification[]> {
  requireScope(ctx, 'queue:read');
  return await ctx.db.read<Verification>(ctx.accountId, {
    name: 'verifications_of_pull_request',
    text: `select ${columns} from pull_request p
           join lateral ((${ofPullRequest('$4::bigint + 1', 'and v.id < $3::bigint')})) ids on true
           join verification v on v.account_id = p.account_id and v.id = ids.id ${joins}
           where p.account_id = $1 and p.id = $2 order by v.id desc limit $4::bigint + 1`,
    values: [ctx.accountId, pullRequestId, before, size],
  });
}

/** The verifications of all pull requests of a repository, the newest first. Reads one more than `size`. */
export async function readVerificationsOfRepository(
  ctx: Context,
  repositoryId: string,
  { size, before }: VerificationPage,
): Promise<Verification[]> {
  requireScope(ctx, 'queue:read');
  return await ctx.db.read<Verification>(ctx.accountId, {
    name: 'verifications_of_repository',
    text: `select ${columns} from (
             select * from verification o where o.account_id = $1 and o.repository_id = $2 and o.id < $3::bigint
             order by o.id desc limit $4::bigint + 1) v ${joins} order by v.id desc`,
    values: [ctx.accountId, repositoryId, before, size],
  });
}

/** Returns the steps after the step `after`, in their order (0: from the first step). Reads one more than `size`. */
export async function readSteps(
  ctx: Context,
  verificationId: string,
  { size, after }: { readonly size: number; readonly after: number },
): Promise<VerificationStep[]> {
  requireScope(ctx, 'queue:read');
  return await ctx.db.read<VerificationStep>(ctx.accountId, {
    name: 'verification_steps',
    text: `select ordinal, scenario, step, conclusion, detail, duration_ms as "durationMs", at from verification_step
           where account_id = $1 and verification_id = $2 and ordinal > $3::integer order by ordinal limit $4::bigint + 1`,
    values: [ctx.accountId, verificationId, after, size],
  });
}

/** A pull request of a repository by its number. Throws NOT_FOUND. */
export async function findPullRequestId(ctx: Context, repositoryId: string, number: number): Promise<string> {
  requireScope(ctx, 'queue:read');
  const [row] = await ctx.db.read<{ id: string }>(ctx.accountId, {
    name: 'pull_request_id_by_number',
    text: 'select id from pull_request where account_id = $1 and repository_id = $2 and number = $3',
    values: [ctx.accountId, repositoryId, number],
  });
  if (row === undefined) throw notFound('Pull request');
  return row.id;
}
