// Boots a sandbox, tests the app in the sandbox, judges the result, and tears the sandbox down. The row of the sandbox
// is written before the boot, so that every running sandbox is known.
import { toHostedRepository } from '../../../hosts/port.ts';
import { randomBytes } from 'node:crypto';
import { judgeSteps } from '../../../domain/previews/judge.ts';
import type { GivenVariable, PreviewEntry } from '../../../domain/previews/preview.ts';
import { sandboxName } from '../../../domain/previews/sandbox-name.ts';
import { previewUrl } from '../../../domain/previews/address.ts';
import { withoutLimit } from '../../../platform/at-most.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import {
  BootFailed,
  type PreviewBoot,
  type PreviewSandbox,
  type PreviewSandboxes,
} from '../../../platform/previews/port.ts';
import { PreviewSandboxEntity, type PreviewSandboxRow } from '../previews.entities.ts';
import { encrypt } from '../../accounts/index.ts';
import { routeKeyPurpose } from '../sandboxes/sandboxes.reads.ts';
import { openPreviewSecrets } from '../secrets/secrets.open.ts';
import type { SupervisedVerification, Ending } from './supervised-verification.ts';
import { driveApp } from './drive-app.ts';
import { findPreviewImage } from '../images/images.reads.ts';
import { refusalOf, sandboxesFor } from './images.ts';
import { writeVerificationStatus } from './status.writer.ts';

type SandboxEntry = Extract<PreviewEntry, { method: 'sandbox' }>;

const bootTimeoutMs = 10 * 60_000;
/** The time limit of a sandbox, from its boot to the end of its teardown. */
const lifeMs = 45 * 60_000;

export async function driveSandbox(supervised: SupervisedVerification): Promise<Ending> {
  const { rows, verifying, log } = supervised;
  const { preview } = rows.verification;
  if (preview?.method !== 'sandbox') return { status: 'error', summary: 'The verification uses no preview.' };
  const { inTurn = withoutLimit } = verifying;
  // The time limit of the sandbox of an earlier attempt is over. The next sandbox gets its own when it boots.
  await supervised.write(async ({ verification }) => {
    verification.expiresAt = null;
    await Promise.resolve();
  });
  let hasBegun = false;
  const begin = async (): Promise<Ending> => {
    hasBegun = true;
    return await readAndBoot(supervised, preview);
  };
  const onWait = (): void => log.write('[interlock] The preview waits until this worker has room for it.\n');
  return await inTurn(begin, { signal: supervised.signal, onWait }).catch((error: unknown): Ending => {
    if (hasBegun || !supervised.signal.aborted) throw error;
    return { status: 'error', summary: 'The verification was stopped before its sandbox booted.' };
  });
}

/** Reads the image and the secrets after the wait, because users may replace or delete them meanwhile. */
async function readAndBoot(supervised: SupervisedVerification, preview: SandboxEntry): Promise<Ending> {
  const { ctx, rows, verifying, log } = supervised;
  const image = await findPreviewImage(ctx, preview.image);
  if (image === null)
    return {
      status: 'error',
      summary: `The account no longer has the image ${preview.image}. Register the image again.`,
    };
  const sandboxes = await sandboxesFor(verifying.sandboxes, image.kind);
  if (sandboxes === null) return { status: 'error', summary: (await refusalOf(verifying.sandboxes, image.kind)) ?? '' };
  const opened = await openPreviewSecrets(ctx, verifying.secrets, {
    repositoryId: rows.repository.id,
    keys: preview.secrets,
  });
  if (opened.missing.length > 0) return { status: 'error', summary: missingText(opened.missing) };
  const secrets = opened.values;
  log.hide(Object.values(secrets));
  return await bootAndDrive(supervised, { preview, image, sandboxes, secrets });
}

interface Bootable {
  readonly preview: SandboxEntry;
  readonly image: PreviewBoot['image'];
  readonly sandboxes: PreviewSandboxes;
  readonly secrets: Readonly<Record<string, string>>;
}

async function bootAndDrive(
  supervised: SupervisedVerification,
  { preview, image, sandboxes, secrets }: Bootable,
): Promise<Ending> {
  const { rows, log } = supervised;
  const before = rows.sandbox?.name;
  const row = await writeSandboxRow(supervised, { kind: sandboxes.kind, port: preview.port });
  // The sandbox of a lost worker of this machine ends before the setup script runs again. One of another machine is
  // removed there (sandboxes/reconcile.ts).
  if (before !== undefined && before !== row.name) await sandboxes.destroy(before);
  await passFailpoint('verification:before_boot');
  log.write(`[interlock] The image ${preview.image} boots as ${row.name}.\n`);
  const boot = { ...bootOf(supervised, { preview, row }), image, secrets };
  try {
    const sandbox = await sandboxes.boot(boot, { signal: supervised.signal, onOutput: log.write });
    await passFailpoint('verification:after_boot');
    return await driveBooted(supervised, { sandbox, row, preview, secrets });
  } catch (error) {
    if (!(error instanceof BootFailed)) {
      // If the lease is lost, another worker may have booted another sandbox, and the teardown script of this one could
      // remove what the other one uses. It is removed when the sandboxes are compared with the rows.
      if (!supervised.lease.isLost()) await destroyed(supervised, sandboxes, row.name);
      if (!supervised.signal.aborted) throw error;
      return { status: 'error', summary: 'The verification was stopped while its sandbox booted.' };
    }
    await destroyed(supervised, sandboxes, row.name);
    return { status: 'error', summary: `The preview did not boot. ${error.message}`.slice(0, 1_000) };
  }
}

interface Booted {
  readonly sandbox: PreviewSandbox;
  readonly row: PreviewSandboxRow;
  readonly preview: SandboxEntry;
  readonly secrets: Readonly<Record<string, string>>;
}

async function driveBooted(supervised: SupervisedVerification, { sandbox, preview, secrets }: Booted): Promise<Ending> {
  const { ctx, log, verifying } = supervised;
  const app: { endedBy: string | null } = { endedBy: null };
  void sandbox.ended.then((message) => {
    app.endedBy = message;
  });
  const route = verifying.gateway.open(sandbox.address);
  try {
    await supervised.write(async ({ verification, sandbox: row }, tx) => {
      const wayKey = encrypt(
        verifying.secrets,
        routeKeyPurpose({ accountId: ctx.accountId, verificationId: verification.id }),
        Buffer.from(route.key),
      );
      Object.assign(row ?? {}, { state: 'ready', address: route.address, wayKey, readyAt: ctx.clock(), goneAt: null });
      await writeVerificationStatus(ctx, tx, { verification, to: 'driving' });
    });
    const target = { kind: 'sandbox', address: sandbox.address } as const;
    const driven = await driveApp(supervised, { target, preview, secrets });
    const judged =
      driven.kind === 'driven' ? judgeSteps(driven.steps) : { verdict: 'error' as const, summary: driven.message };
    const summary = app.endedBy === null ? judged.summary : `${judged.summary} The app ended by itself: ${app.endedBy}`;
    if (supervised.signal.aborted)
      return { status: 'error', summary: 'The verification was stopped while it tested the app.' };
    await supervised.write(async ({ verification, sandbox: row }, tx) => {
      Object.assign(row ?? {}, { state: 'ending', goneAt: ctx.clock() });
      verification.verdict = judged.verdict;
      await writeVerificationStatus(ctx, tx, { verification, to: 'tearing_down', summary: summary.slice(0, 1_000) });
    });
    await passFailpoint('verification:before_teardown');
    return { status: judged.verdict, summary: null };
  } finally {
    route.close();
    if (!supervised.lease.isLost()) {
      log.write('[interlock] The preview is torn down.\n');
      await sandbox.end().catch((error: unknown) => log.write(`[interlock] ${String(error)}\n`));
      await markGone(supervised);
    }
  }
}

/** Destroys the sandbox of a worker that was lost. The teardown script runs if the sandbox still answers. */
export async function destroyAbandonedSandbox(supervised: SupervisedVerification): Promise<void> {
  const { rows, verifying, log } = supervised;
  if (rows.sandbox === null || rows.sandbox.state === 'gone') return;
  log.write('[interlock] The worker of this verification was lost. Its sandbox is torn down.\n');
  for (const sandboxes of verifying.sandboxes)
    if (sandboxes.kind === rows.sandbox.kind)
      await sandboxes.destroy(rows.sandbox.name, (sentence) => log.write(`[interlock] ${sentence}\n`));
  await markGone(supervised);
}

async function destroyed(supervised: SupervisedVerification, sandboxes: PreviewSandboxes, name: string): Promise<void> {
  await sandboxes.destroy(name);
  await markGone(supervised);
}

async function markGone(supervised: SupervisedVerification): Promise<void> {
  const { ctx } = supervised;
  await supervised.write(async ({ sandbox }) => {
    if (sandbox === null) return;
    Object.assign(sandbox, { state: 'gone', address: null, wayKey: null, goneAt: sandbox.goneAt ?? ctx.clock() });
  });
}

/**
 * Writes the row of a sandbox before its boot. If the verification starts again, the row keeps its slug, so the public
 * URL stays the same. The public URL reaches no app until the sandbox is ready.
 */
async function writeSandboxRow(
  supervised: SupervisedVerification,
  { kind, port }: { readonly kind: PreviewSandboxes['kind']; readonly port: number },
): Promise<PreviewSandboxRow> {
  const { ctx, rows, lease } = supervised;
  const { id } = rows.verification;
  let written: PreviewSandboxRow | null = null;
  await supervised.write(async ({ verification, sandbox }, tx) => {
    const now = ctx.clock();
    const fresh = {
      name: sandboxName({ accountId: ctx.accountId, verificationId: id }, lease.attempt),
      kind,
      port,
      state: 'booting',
      address: null,
      wayKey: null,
      expiresAt: new Date(now.getTime() + lifeMs),
    } as const;
    verification.expiresAt = fresh.expiresAt;
    if (verification.status === 'driving') await writeVerificationStatus(ctx, tx, { verification, to: 'booting' });
    if (sandbox !== null)
      written = Object.assign(sandbox, { ...fresh, goneAt: sandbox.readyAt && (sandbox.goneAt ?? now) });
    else
      written = tx.em.create(PreviewSandboxEntity, {
        accountId: ctx.accountId,
        verificationId: id,
        slug: randomBytes(12).toString('hex'),
        createdAt: now,
        ...fresh,
      });
    await tx.em.flush();
  });
  if (written === null) throw new Error('The row of the sandbox was not written.');
  return written;
}

function bootOf(
  { ctx, rows }: SupervisedVerification,
  { preview, row }: { readonly preview: SandboxEntry; readonly row: PreviewSandboxRow },
): Omit<PreviewBoot, 'image' | 'secrets'> {
  const { repository, pullRequest, verification } = rows;
  return {
    name: row.name,
    repository: toHostedRepository(repository),
    commit: verification.headCommit,
    port: preview.port,
    setup: preview.setup,
    teardown: preview.teardown,
    env: {
      HEAD_SHA: verification.headCommit,
      HEAD_BRANCH: pullRequest.headBranch,
      BASE_BRANCH: pullRequest.baseBranch,
      PULL_REQUEST_NUMBER: String(pullRequest.number),
      PREVIEW_NAME: preview.name,
      PREVIEW_URL: previewUrl(ctx.publicUrl, row.slug),
    } satisfies Partial<Record<GivenVariable, string>>,
    bootTimeoutMs,
    lifeMs,
  };
}

function missingText(keys: readonly string[]): string {
  const names = keys.map((key) => `\`${key}\``).join(', ');
  return `The repository has no secret ${names}: set it for the account and grant it to this repository.`;
}
