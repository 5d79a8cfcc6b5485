// Registers and deregisters environments that CI built for pull requests (interface 4.10). Of several registrations of
// one preview and commit, only the newest counts. A verification tests the environment only while its commit is the
// head of the pull request.
import { toHostedRepository } from '../../../hosts/port.ts';
import type { Context } from '../../../context.ts';
import { previewEntries } from '../../../domain/configuration/index.ts';
import {
  decideExpiry,
  requireEndpoint,
  requirePreviewName,
  requirePreviewUrl,
  requireSecrets,
  requireSubject,
} from '../../../domain/previews/registration.ts';
import { withoutMarks, type Transaction } from '../../../platform/database.ts';
import { encrypt, recordUserAction, requireScope, type Secrets } from '../../accounts/index.ts';
import { appendEvents } from '../../events/index.ts';
import { syncPullRequest } from '../../queue/index.ts';
import {
  configurationOf,
  loadActiveRepository,
  loadRepository,
  type RepositoryName,
} from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { startVerification } from '../verifying/start-verification.ts';
import { endRegistrations } from './registrations.ending.ts';
import { registrationPurpose } from './registrations.open.ts';
import { readRegistrationIn } from './registrations.reads.ts';
import type { PreviewRegistration } from './registrations.types.ts';

export interface RegisterRequest {
  readonly repository: RepositoryName;
  readonly commitSha: string;
  readonly previewUrl: string;
  readonly branch?: string | null;
  readonly prNumber?: number | null;
  /** Default: `default`. Required if the configuration has several previews. */
  readonly name?: string | null;
  readonly secrets?: Readonly<Record<string, string>> | null;
  readonly expiresAt?: Date | null;
}

interface NewRegistration {
  readonly repositoryId: string;
  readonly name: string;
  readonly commit: string;
  readonly url: string;
  readonly branch: string | null;
  readonly prNumber: number | null;
  readonly secrets: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
  readonly target: string;
}

export async function registerPreview(
  ctx: Context,
  secrets: Secrets,
  request: RegisterRequest,
): Promise<PreviewRegistration> {
  requireScope(ctx, 'preview:register');
  const repository = await loadActiveRepository(ctx, request.repository, 'preview:register');
  const registration = { ...checked(ctx, request, repository), repositoryId: repository.id };
  await withoutMarks(async () => await readHeads(ctx, repository, registration));
  return await ctx.db.transaction(ctx.accountId, async (tx) => await register(ctx, tx, { secrets, registration }));
}

/**
 * Reads the pull requests from the host, because Interlock may not have received the host's notification of the push
 * yet.
 */
async function readHeads(
  ctx: Context,
  repository: RepositoryRow,
  { prNumber, branch }: Pick<NewRegistration, 'prNumber' | 'branch'>,
): Promise<void> {
  const numbers = prNumber === null ? await openNumbersOf(ctx, repository.id, branch) : [prNumber];
  for (const number of numbers) await syncPullRequest(ctx, toHostedRepository(repository), number);
}

async function openNumbersOf(ctx: Context, repositoryId: string, branch: string | null): Promise<number[]> {
  const rows = await ctx.db.read<{ number: number }>(ctx.accountId, {
    name: 'open_pull_requests_of_branch',
    text: `select number from pull_request where account_id = $1 and repository_id = $2 and head_branch = $3
             and status not in ('merged', 'closed') order by number`,
    values: [ctx.accountId, repositoryId, branch],
  });
  return rows.map(({ number }) => number);
}

function checked(
  ctx: Context,
  { branch = null, prNumber = null, ...request }: RegisterRequest,
  repository: { readonly configurationYaml: string; readonly owner: string; readonly name: string },
): Omit<NewRegistration, 'repositoryId'> {
  requireSubject(prNumber, branch);
  const entries = previewEntries(configurationOf(repository));
  const name = requirePreviewName(entries, request.name ?? null);
  const entry = requireEndpoint(entries, name);
  return {
    name,
    commit: request.commitSha,
    url: requirePreviewUrl(request.previewUrl),
    branch,
    prNumber,
    secrets: requireSecrets(request.secrets ?? {}),
    expiresAt: decideExpiry(request.expiresAt ?? null, entry, ctx.clock()),
    target: targetOf(repository, { prNumber, branch, name }),
  };
}

async function register(
  ctx: Context,
  tx: Transaction,
  { secrets, registration }: { readonly secrets: Secrets; readonly registration: NewRegistration },
): Promise<PreviewRegistration> {
  await endRegistrations(ctx, tx, { ...registration, reason: 'replaced' });
  const id = await insert(ctx, tx, { secrets, registration });
  const made = await readRegistrationIn(ctx, tx, id);
  const { repositoryId, commit, target } = registration;
  const { name, url, branch, prNumber, expiresAt, pullRequestId } = made;
  await appendEvents(ctx, tx, [
    {
      repositoryId,
      pullRequestId,
      registrationId: id,
      action: 'preview_registered',
      payload: { name, commit, url, branch, prNumber, expiresAt },
    },
  ]);
  await recordUserAction(ctx, tx, { action: 'preview_registered', target });
  if (pullRequestId !== null) await wakeVerification(ctx, tx, { repositoryId, pullRequestId, head: commit });
  return made;
}

/**
 * Wakes the verification that waits for the registration. If the last verification has ended without a preview, starts
 * another one.
 */
async function wakeVerification(
  ctx: Context,
  tx: Transaction,
  of: { readonly repositoryId: string; readonly pullRequestId: string; readonly head: string },
): Promise<void> {
  const run = await startVerification(ctx, tx, { ...of, cause: 'registration' });
  // The wake is sent after the commit. So the workflow reads the registration even if it has just read the rows without
  // it.
  if (run !== null) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, verificationId: run.id }));
}

async function insert(
  ctx: Context,
  tx: Transaction,
  {
    secrets,
    registration: { repositoryId, name, commit, url, branch, prNumber, expiresAt, ...registration },
  }: { readonly secrets: Secrets; readonly registration: NewRegistration },
): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    `insert into preview_registration (account_id, repository_id, name, commit, url, branch, pr_number, expires_at, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [
      ctx.accountId,
      repositoryId,
      name,
      commit,
      url,
      branch,
      prNumber,
      expiresAt.toISOString(),
      ctx.actor.email ?? 'interlock',
      ctx.clock().toISOString(),
    ],
  );
  if (row === undefined) throw new Error('A registration was not written.');
  if (Object.keys(registration.secrets).length > 0)
    await tx.send('update preview_registration set secrets = $3 where account_id = $1 and id = $2', [
      ctx.accountId,
      row.id,
      encrypt(
        secrets,
        registrationPurpose({ accountId: ctx.accountId, id: row.id }),
        Buffer.from(JSON.stringify(registration.secrets)),
      ),
    ]);
  return row.id;
}

export interface DeregisterRequest {
  readonly repository: RepositoryName;
  readonly branch?: string | null;
  readonly prNumber?: number | null;
  readonly name?: string | null;
}

/**
 * Ends the registrations of a preview for all commits. Returns the number of ended registrations. The preview need not
 * be in the configuration any more.
 */
export async function deregisterPreview(
  ctx: Context,
  { branch = null, prNumber = null, ...request }: DeregisterRequest,
): Promise<number> {
  requireScope(ctx, 'preview:register');
  const repository = await loadRepository(ctx, request.repository, 'preview:register');
  requireSubject(prNumber, branch);
  const name = requirePreviewName(previewEntries(configurationOf(repository)), request.name ?? null);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const ended = await endRegistrations(ctx, tx, {
      repositoryId: repository.id,
      name,
      branch,
      prNumber,
      commit: null,
      reason: 'deregistered',
    });
    const target = targetOf(repository, { prNumber, branch, name });
    if (ended > 0) await recordUserAction(ctx, tx, { action: 'preview_deregistered', target });
    return ended;
  });
}

function targetOf(
  { owner, name: repository }: RepositoryName,
  {
    prNumber,
    branch,
    name,
  }: { readonly prNumber: number | null; readonly branch: string | null; readonly name: string },
): string {
  return `${owner}/${repository}${prNumber === null ? `:${branch}` : `#${prNumber}`} ${name}`;
}
