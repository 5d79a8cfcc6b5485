// Retries a failed check at the host.
import type { Context } from '../../../context.ts';
import { chooseRetryContext } from '../../../domain/queue/evidence/check-retry.ts';
import type { Configuration } from '../../../domain/configuration/index.ts';
import {
  type HostClient,
  hostClient,
  HostRefused,
  toHostedRepository,
  type HostedRepository,
} from '../../../hosts/port.ts';
import { toStorableText } from '../../../platform/storable-text.ts';
import { appendEvents } from '../../events/index.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { readKeptChecks, readReport, recordChecks } from '../facts/build.records.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { finishIntent } from '../store/intents.ts';
import { QueueEntity, type IntentRow } from '../store/queue.entities.ts';
import { changeQueue } from '../store/queue.locks.ts';

interface Planned {
  readonly commit: string;
  readonly name: string;
  readonly attempt: number;
}

/**
 * Starts the new attempt, unless it exists already. An earlier attempt to carry out this intent, or a person, may have
 * started it.
 */
export async function carryOutRetry(ctx: Context, intent: IntentRow): Promise<void> {
  const planned = intent.payload as unknown as Planned;
  const { host, configuration } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await tx.em.findOneOrFail(QueueEntity, { id: intent.queueId });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
    return { host: toHostedRepository(repository), configuration: configurationOf(repository) };
  });
  const client = hostClient(ctx, host);
  const isStarted = await startAttempt(ctx, host, planned);
  await passFailpoint('retry:after_host');
  const context = isStarted ? await readContext(client, { ...planned, configuration }) : '';
  await concludeRetry(ctx, intent, { host, planned, isStarted, context });
  if (isStarted) await recordChecks(ctx, host, planned.commit);
  await finishIntent(ctx, intent);
}

async function startAttempt(
  ctx: Context,
  host: HostedRepository,
  { commit, name, attempt }: Planned,
): Promise<boolean> {
  const recorded = (await readKeptChecks(ctx, host.id, commit))?.checks ?? [];
  return await unlessRefused(false, async () => {
    const report = await readReport(ctx, host, { commit, recorded, wanted: { expected: [name], movedAt: null } });
    if (report.checks.some((check) => check.name === name && check.attempt > attempt)) return true;
    return (await hostClient(ctx, host).rerunChecks(commit, [name])).includes(name);
  });
}

// A refusal ends an intent. The retry must end before, because the check is pending while its retry is planned.
async function unlessRefused<Answer>(refused: Answer, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HostRefused) return refused;
    throw error;
  }
}

const longestContext = 20_000;

async function readContext(
  client: HostClient,
  of: { readonly commit: string; readonly name: string; readonly configuration: Configuration },
): Promise<string> {
  const { context, context_file, retriable_checks } = of.configuration.merge_rules.flaky_retry;
  const chosen = chooseRetryContext(of.name, {
    context,
    contextFile: context_file,
    checks: retriable_checks.map((check) => ({
      name: check.name,
      context: check.context,
      contextFile: check.context_file,
    })),
  });
  if (chosen.contextFile === undefined) return chosen.context ?? '';
  const file = { commit: of.commit, path: chosen.contextFile, maxBytes: longestContext };
  const text = await unlessRefused(undefined, async () => (await client.readFile(file))?.text);
  // The file may be binary, because the pull request may change it.
  return toStorableText(text ?? `${chosen.contextFile} does not exist at this commit, is too long, or cannot be read.`);
}

/** Records the retry. If the host refused it, the failure of the check counts. */
async function concludeRetry(
  ctx: Context,
  intent: IntentRow,
  of: {
    readonly host: HostedRepository;
    readonly planned: Planned;
    readonly isStarted: boolean;
    readonly context: string;
  },
): Promise<void> {
  const { host, planned, isStarted, context } = of;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await changeQueue(ctx, tx, intent.queueId);
    const moved = await tx.query(
      `update check_retry set state = $5, started_at = $6, context = $7
       where account_id = $1 and repository_id = $2 and commit = $3 and name = $4 and state = 'planned' returning 1`,
      [
        ctx.accountId,
        host.id,
        planned.commit,
        planned.name,
        isStarted ? 'started' : 'refused',
        ctx.clock().toISOString(),
        context,
      ],
    );
    if (moved.length === 0 || !isStarted) return;
    const [batch] = await tx.query<{ id: string }>(
      `select id from batch where account_id = $1 and queue_id = $2 and tested_commit = $3 order by id desc limit 1`,
      [ctx.accountId, intent.queueId, planned.commit],
    );
    await appendEvents(ctx, tx, [
      {
        repositoryId: host.id,
        queueId: intent.queueId,
        batchId: batch?.id ?? null,
        action: 'check_retried',
        payload: { commit: planned.commit, check: planned.name, attempt: planned.attempt + 1, context },
      },
    ]);
  });
}
