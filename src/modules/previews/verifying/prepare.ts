// Decides by the configuration in force what a verification does. If the pull request changes only exempt paths, the
// verification is skipped. Otherwise it uses the first usable preview.
import type { Context } from '../../../context.ts';
import { exemptPaths, previewEntries, type Configuration } from '../../../domain/configuration/index.ts';
import { isExempt } from '../../../domain/previews/exempt.ts';
import type { PreviewEntry } from '../../../domain/previews/preview.ts';
import { hostClient, toHostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
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
  const rows = await ctx.db.transaction(ctx.accountId, async (tx) => await lockVerification(ctx, tx, verificationId));
  const choice = await choosePreview(ctx, rows, verifying);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const now = await lockVerification(ctx, tx, verificationId);
    if (now.verification.status === 'pending') await write(ctx, tx, { rows: now, choice });
  });
  return choice.kind === 'chosen' ? `uses the preview ${choice.preview.name}` : `${choice.kind}: ${choice.because}`;
}

async function choosePreview(
  ctx: Context,
  rows: VerificationRows,
  verifying: VerificationPorts,
): Promise<PreviewChoice> {
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

async function isAllExempt(
  ctx: Context,
  { repository, pullRequest, verification }: VerificationRows,
  configuration: Configuration,
): Promise<boolean> {
  const globs = exemptPaths(configuration);
  if (globs.length === 0) return false;
  const client = hostClient(ctx, toHostedRepository(repository));
  const base = await client.readRef(`refs/heads/${pullRequest.baseBranch}`);
  if (base === null) return false;
  const range = { base: base.commit, head: verification.headCommit, limit: maxFiles };
  const changed = await client.listChangedFiles(range);
  return (
    changed !== null &&
    isExempt(
      globs,
      changed.files.map(({ path }) => path),
    )
  );
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
