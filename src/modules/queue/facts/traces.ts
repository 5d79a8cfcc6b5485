// The work on a batch continues the trace of the request that queued its pull request. Wakes carry no content and may
// be lost, so the trace is stored in the row of the pull request. A batch of several pull requests has its own trace,
// which is linked to the traces of the pull requests.
import type { SpanContext } from '@opentelemetry/api';
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { inSpan, isTracing, presentTrace, readTrace } from '../../../platform/tracing/index.ts';

/** Stores the present trace in the row of a pull request that is being queued. */
export async function keepTrace(ctx: Context, tx: Transaction, pullRequestId: string): Promise<void> {
  const present = presentTrace();
  if (present === null) return;
  await tx.send('update pull_request set trace_parent = $3 where account_id = $1 and id = $2', [
    ctx.accountId,
    pullRequestId,
    present,
  ]);
}

export async function withTraceOfBatch<T>(
  ctx: Context,
  { name, batchId }: { readonly name: string; readonly batchId: string },
  work: () => Promise<T>,
): Promise<T> {
  if (!isTracing()) return await work();
  const { origin, links } = await readTracesOfBatch(ctx, batchId);
  return await inSpan(name, { parent: origin, links, attributes: { 'interlock.batch': batchId } }, work);
}

/**
 * `origin` is the trace of the request that queued the only pull request of the batch. If the batch has several pull
 * requests, `origin` is null and `links` has their traces.
 */
export async function readTracesOfBatch(
  ctx: Context,
  batchId: string,
): Promise<{ readonly origin: SpanContext | null; readonly links: readonly SpanContext[] }> {
  const rows = await ctx.db.read<{ trace: string | null }>(ctx.accountId, {
    name: 'traces_of_batch',
    text: `select p.trace_parent as trace from batch_member m
           join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
           where m.account_id = $1 and m.batch_id = $2 order by m.ordinal`,
    values: [ctx.accountId, batchId],
  });
  const traces = rows.flatMap((row) => readTrace(row.trace) ?? []);
  const [first] = traces;
  return rows.length === 1 && first !== undefined ? { origin: first, links: [] } : { origin: null, links: traces };
}
