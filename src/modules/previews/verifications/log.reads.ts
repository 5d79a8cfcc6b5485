import type { Context } from '../../../context.ts';
import { verificationMoves } from '../../../domain/previews/verification.status.ts';
import type { ReadLog } from '../../../graphql/logs.ts';
import { requireScope } from '../../accounts/index.ts';

interface PieceRow {
  readonly isOver: boolean;
  readonly id: string | null;
  readonly text: string;
  readonly at: Date;
}

const finalStatuses = Object.entries(verificationMoves).flatMap(([status, moves]) =>
  moves.length === 0 ? [status] : [],
);
const over = `v.status in (${finalStatuses.map((status) => `'${status}'`).join(', ')})`;

export function logOfVerification(ctx: Context, verificationId: string): ReadLog {
  return async ({ after, size }) => {
    requireScope(ctx, 'queue:read');
    const rows = await ctx.db.read<PieceRow>(ctx.accountId, {
      name: 'verification_log',
      text: `select ${over} as "isOver", l.id::text as id, l.text, l.at from verification v
             left join lateral (
               select id, text, at from verification_log
               where account_id = $1 and verification_id = v.id and id > $3::bigint order by id limit $4::bigint
             ) l on true
             where v.account_id = $1 and v.id = $2 order by l.id`,
      values: [ctx.accountId, verificationId, after, size],
    });
    const [first] = rows;
    if (first === undefined) return null;
    return {
      isOver: first.isOver,
      pieces: rows.flatMap(({ id, text, at }) => (id === null ? [] : [{ id, text, at }])),
    };
  };
}
