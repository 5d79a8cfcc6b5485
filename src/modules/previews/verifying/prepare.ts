// Decides by the configuration in force what a verification does. If the commit changes only exempt paths, the
// verification is skipped. Otherwise it uses the first usable preview.
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../context.ts';
import { exemptPaths, previewEntries, type Configuration } from '../../../domain/configuration/index.ts';
import { isExempt } from '../../../domain/previews/exempt.ts';
import type { PreviewEntry } from '../../../domain/previews/preview.ts';
import { hostClient, toHostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { configurationOf } from '../../repositories/index.ts';
import { findPreviewImage } from '../images/images.reads.ts';
import { refusalOf } from './images.ts';
import { lockVerification, type VerificationRows } from './rows.ts';
import { writeVerificationStatus } from './status.writer.ts';
import type { VerificationPorts } from './verifying.ts';

/** The preview that a verification uses. `degraded`: no preview is usable, for the reason in `because`. */
export type PreviewChoice =
  | { readonly kind: 'skipped'; readonly because: string }
  | { readonly kind: 'chosen'; readonly preview: PreviewEntry }
  | { readonly kind: 'degraded'; readonly because: string };

const maxFiles = 10_000;

export async function prepare(ctx: Context, verificationId: string, verifying: VerificationPorts): Promise<string> {
  const { accountId } = ctx;
  const rows = await ctx.db.transaction(accountId, async (tx) => await lockWithBases(ctx, tx, verificationId));
  const choice = await choosePreview(ctx, rows, verifying);
  await passFailpoint('verification:chosen');
  const isWritten = await ctx.db.transaction(accountId, async (tx) => {
    const now = await lockWithBases(ctx, tx, verificationId);
    if (now.verification.status !== 'pending') return false;
    // Against another base branch, other paths may be changed. The next turn chooses again.
    if (!isDeepStrictEqual(now.baseBranches, rows.baseBranches)) return false;
    await write(ctx, tx, { rows: now, choice });
    return true;
  });
  if (!isWritten) return 'The verification has changed meanwhile.';
  return choice.kind === 'chosen' ? `uses the preview ${choice.preview.name}` : `${choice.kind}: ${choice.because}`;
}

interface RowsWithBases extends VerificationRows {
  /** The base branches of the open pull requests that have the commit as their head, each once. */
  readonly baseBranches: readonly string[];
}

async function lockWithBases(ctx: Context, tx: Transaction, verificationId: string): Promise<RowsWithBases> {
  const rows = await lockVerification(ctx, tx, verificationId);
  const { repositoryId, headCommit } = rows.verification;
  const found = await tx.query<{ base: string }>(
    `select distinct base_branch as base from pull_request
     where account_id = $1 and repository_id = $2 and head_sha = $3 and status not in ('merged', 'closed') order by base`,
    [ctx.accountId, repositoryId, headCommit],
  );
  return { ...rows, baseBranches: found.map(({ base }) => base) };
}

async function choosePreview(ctx: Context, rows: RowsWithBases, verifying: VerificationPorts): Promise<PreviewChoice> {
  const configuration = configurationOf(rows.repository);
  const entries = previewEntries(configuration);
  if (entries.length === 0) return { kind: 'skipped', because: 'The configuration has no preview.' };
  if (await isAllExempt(ctx, rows, configuration))
    return { kind: 'skipped', because: 'The pull request changes only exempt paths.' };
  const reasons: string[] = [];
  for (const preview of entries) {
    const refusal = await refusalOfEntry(ctx, preview, verifying);
    if (refusal === null) return { kind: 'chosen', preview };
    reasons.push(`${preview.name}: ${refusal}`);
  }
  return { kind: 'degraded', because: `No preview is usable. ${reasons.join(' ')}`.slice(0, 1_000) };
}

/** Whether the commit changes only exempt paths against the base branch of each of its pull requests. */
async function isAllExempt(
  ctx: Context,
  { repository, verification, baseBranches }: RowsWithBases,
  configuration: Configuration,
): Promise<boolean> {
  const globs = exemptPaths(configuration);
  if (globs.length === 0 || baseBranches.length === 0) return false;
  const client = hostClient(ctx, toHostedRepository(repository));
  for (const branch of baseBranches) {
    const base = await client.readRef(`refs/heads/${branch}`);
    if (base === null) return false;
    const range = { base: base.commit, head: verification.headCommit, limit: maxFiles };
    const changed = await client.listChangedFiles(range);
    const paths = changed?.files.map(({ path }) => path);
    if (paths === undefined || !isExempt(globs, paths)) return false;
  }
  return true;
}

async function refusalOfEntry(
  ctx: Context,
  entry: PreviewEntry,
  { sandboxes }: VerificationPorts,
): Promise<string | null> {
  if (entry.method === 'endpoint') return null;
  const image = await findPreviewImage(ctx, entry.image);
  if (image === null) return `The account has no image ${entry.image}. Register the image.`;
  return await refusalOf(sandboxes, image.kind);
}

async function write(
  ctx: Context,
  tx: Transaction,
  { rows: { verification }, choice }: { readonly rows: VerificationRows; readonly choice: PreviewChoice },
): Promise<void> {
  switch (choice.kind) {
    case 'skipped':
      return await writeVerificationStatus(ctx, tx, { verification, to: 'skipped', summary: choice.because });
    case 'degraded':
      verification.degraded = true;
      return await writeVerificationStatus(ctx, tx, { verification, to: 'driving', summary: choice.because });
    case 'chosen': {
      const { preview } = choice;
      Object.assign(verification, { preview, previewName: preview.name });
      if (preview.method === 'endpoint')
        verification.waitUntil = new Date(ctx.clock().getTime() + preview.waitTimeoutSec * 1000);
      const to = preview.method === 'endpoint' ? 'waiting' : 'booting';
      return await writeVerificationStatus(ctx, tx, { verification, to });
    }
    default:
      choice satisfies never;
  }
}
