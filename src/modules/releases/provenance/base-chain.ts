// Stores the first-parent commits of a base branch in their order. Only the commits after the last stored commit are
// read from git. Of two concurrent requests, one writes the rows, and the other starts over.
import type { Context } from '../../../context.ts';
import { hostClient, type HostedRepository, type HostClient } from '../../../hosts/port.ts';

const pageSize = 5000;

interface Base {
  readonly tip: string | null;
  readonly managedFrom: string | null;
  readonly knownTip: string | null;
  readonly length: number;
}

/**
 * The commits after the stored commits, oldest first. If the base branch was rewritten: all commits since Interlock
 * manages the branch.
 */
interface Growth {
  readonly commits: readonly string[];
  readonly isRewritten: boolean;
}

/** Stores the commits of the base branch up to the tip that its queue knows. Returns the number of stored commits. */
export async function storeBaseChain(ctx: Context, repository: HostedRepository, queueId: string): Promise<number> {
  for (;;) {
    const base = await readBase(ctx, queueId);
    if (base.tip === null || base.tip === base.knownTip) return base.length;
    const growth = await growthOf(hostClient(ctx, repository), { ...base, tip: base.tip });
    const length = growth.commits.length + (growth.isRewritten ? 0 : base.length);
    if (await writeGrowth(ctx, queueId, { base, tip: base.tip, growth, length })) return length;
  }
}

async function readBase(ctx: Context, queueId: string): Promise<Base> {
  const [row] = await ctx.db.read<Base>(ctx.accountId, {
    name: 'base_chain',
    text: `select q.base_tip as tip, q.managed_from as "managedFrom", b.tip as "knownTip", coalesce(b.length, 0) as length
           from queue q left join base_chain b on b.account_id = q.account_id and b.queue_id = q.id
           where q.account_id = $1 and q.id = $2`,
    values: [ctx.accountId, queueId],
  });
  return row ?? { tip: null, managedFrom: null, knownTip: null, length: 0 };
}

async function growthOf(
  client: HostClient,
  { tip, knownTip, managedFrom }: Base & { readonly tip: string },
): Promise<Growth> {
  const isRewritten = knownTip !== null && !(await client.isAncestor(knownTip, tip));
  const from = isRewritten || knownTip === null ? managedFrom : knownTip;
  const walked = await walk(client, from, tip);
  // If the known tip is not a first-parent ancestor of the new tip, only the new tip follows the known tip on the base
  // branch.
  const isBeside = !isRewritten && knownTip !== null && walked.before !== knownTip;
  return { commits: isBeside ? [tip] : walked.commits.toReversed(), isRewritten };
}

/** Returns the first-parent commits from `tip` back to `from`, newest first, and the first parent of the oldest one. */
async function walk(
  client: HostClient,
  from: string | null,
  tip: string,
): Promise<{ readonly commits: string[]; readonly before: string | null }> {
  const commits: string[] = [];
  let to: string | null = tip;
  while (to !== null && to !== from) {
    const page = await client.listFirstParents({ from, to, limit: pageSize });
    commits.push(...page.map(({ commit }) => commit));
    to = page.at(-1)?.parents[0] ?? null;
    if (page.length < pageSize) break;
  }
  return { commits, before: to };
}

/** Returns false if another process has stored commits in the meantime. */
async function writeGrowth(
  ctx: Context,
  queueId: string,
  {
    base,
    tip,
    growth,
    length,
  }: { readonly base: Base; readonly tip: string; readonly growth: Growth; readonly length: number },
): Promise<boolean> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const first = `insert into base_chain (account_id, queue_id, tip, length) values ($1, $2, $3, $4)
                   on conflict (account_id, queue_id) do nothing returning 1 as kept`;
    const next = `update base_chain set tip = $3, length = $4 where account_id = $1 and queue_id = $2 and tip = $5 returning 1 as kept`;
    const values = [ctx.accountId, queueId, tip, length];
    const kept = await tx.query(
      base.knownTip === null ? first : next,
      base.knownTip === null ? values : [...values, base.knownTip],
    );
    if (kept.length === 0) return false;
    if (growth.isRewritten) {
      for (const table of ['candidate_reach', 'base_commit'])
        await tx.send(`delete from ${table} where account_id = $1 and queue_id = $2`, [ctx.accountId, queueId]);
    }
    await tx.send(
      `insert into base_commit (account_id, queue_id, position, commit)
       select $1, $2, n + $3::integer, commit from unnest($4::text[]) with ordinality as came (commit, n)`,
      [ctx.accountId, queueId, length - growth.commits.length, growth.commits],
    );
    return true;
  });
}
