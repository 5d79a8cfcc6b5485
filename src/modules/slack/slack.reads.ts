import type { Context } from '../../context.ts';
import type { SlackDestinationKind } from '../../domain/slack/destinations.ts';
import { requireScope } from '../accounts/index.ts';

export interface SlackDestinationRead {
  readonly id: string;
  readonly kind: SlackDestinationKind;
  readonly channel: string | null;
  /** `owner/name`. */
  readonly repository: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly problem: string | null;
}

export interface SlackRead {
  readonly hasToken: boolean;
  readonly destinations: readonly SlackDestinationRead[];
}

// The problem of a destination is the newest failure of a message that has not been sent successfully since.
const columns = `d.id, d.kind, d.channel, r.owner || '/' || r.name as repository, d.created_by as "createdBy",
  d.created_at as "createdAt",
  (select m.problem from slack_message m
   where m.account_id = d.account_id and m.problem is not null
     and (m.channel = 'destination:' || d.id or m.channel like 'person:' || d.id || ':%')
   order by m.id desc limit 1) as problem`;
const from = `from slack_destination d
  left join repository r on r.account_id = d.account_id and r.id = d.repository_id
  where d.account_id = $1`;

/** The Slack settings of the account. Needs `admin`. */
export async function readSlack(ctx: Context): Promise<SlackRead> {
  requireScope(ctx, 'admin');
  const [workspace] = await ctx.db.read<object>(ctx.accountId, {
    name: 'slack_workspace',
    text: 'select 1 from slack_workspace where account_id = $1',
    values: [ctx.accountId],
  });
  const destinations = await ctx.db.read<SlackDestinationRead>(ctx.accountId, {
    name: 'slack_destinations',
    text: `select ${columns} ${from} order by d.id`,
    values: [ctx.accountId],
  });
  return { hasToken: workspace !== undefined, destinations };
}

/** Needs `admin`. Null: the account has no destination with this id. */
export async function readSlackDestination(ctx: Context, id: string): Promise<SlackDestinationRead | null> {
  requireScope(ctx, 'admin');
  const [row] = await ctx.db.read<SlackDestinationRead>(ctx.accountId, {
    name: 'slack_destination',
    text: `select ${columns} ${from} and d.id = $2`,
    values: [ctx.accountId, id],
  });
  return row ?? null;
}
