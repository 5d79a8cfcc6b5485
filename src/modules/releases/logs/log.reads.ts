import type { Context } from '../../../context.ts';
import { deploymentMoves } from '../../../domain/releases/deployment.status.ts';
import type { LogRead, ReadLog } from '../../../graphql/logs.ts';
import { requireScope } from '../../accounts/index.ts';
import type { LoggedRun } from './log.writer.ts';

interface PieceRow {
  readonly isOver: boolean;
  readonly id: string | null;
  readonly text: string;
  readonly at: Date;
}

const finalStatuses = Object.entries(deploymentMoves).flatMap(([status, moves]) =>
  moves.length === 0 ? [status] : [],
);

const subjects = {
  deployment: { table: 'deployment', over: `d.status in (${finalStatuses.map((status) => `'${status}'`).join(', ')})` },
  candidate: { table: 'release_candidate', over: "d.status <> 'building'" },
} as const;

export function logOf(ctx: Context, run: LoggedRun): ReadLog {
  return async (page) => await readLog(ctx, run, page);
}

async function readLog(
  ctx: Context,
  run: LoggedRun,
  { after, size }: { readonly after: string; readonly size: number },
): Promise<LogRead | null> {
  requireScope(ctx, 'release:read');
  const [kind, id] =
    'deploymentId' in run ? (['deployment', run.deploymentId] as const) : (['candidate', run.candidateId] as const);
  const { table, over } = subjects[kind];
  const rows = await ctx.db.read<PieceRow>(ctx.accountId, {
    name: `${kind}_log`,
    text: `select ${over} as "isOver", l.id::text as id, l.text, l.at from ${table} d
           left join lateral (
             select id, text, at from deployment_log
             where account_id = $1 and ${kind}_id = d.id and id > $3::bigint order by id limit $4::bigint
           ) l on true
           where d.account_id = $1 and d.id = $2 order by l.id`,
    values: [ctx.accountId, id, after, size],
  });
  const [first] = rows;
  if (first === undefined) return null;
  return {
    isOver: first.isOver,
    pieces: rows.flatMap(({ id: piece, text, at }) => (piece === null ? [] : [{ id: piece, text, at }])),
  };
}
