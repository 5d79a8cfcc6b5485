// Rules about each landing that has begun since the last call. They compare the landing with the rows as they were
// before the step in which it began.
import type { Installation } from './installation.ts';

export interface LandingRules {
  look(): Promise<readonly string[]>;
}

interface Head {
  readonly number: number;
  readonly head: string;
  /** Whether the newest results of the checks on the head contain a failure, and the pull request must be validated. */
  readonly isRed: boolean;
}

interface Member {
  readonly landing: string;
  readonly number: number;
  readonly pinned: string;
}

export function createLandingRules(i: Installation): LandingRules {
  let heads = new Map<number, Head>();
  const known = new Set<string>();

  async function readHeads(): Promise<Map<number, Head>> {
    const rows = await i.kept.query<Head>(
      `select p.number, p.head_sha as head, not p.skip_validation and exists (
                select from (select distinct on (c.name) c.name, c.attempt, c.conclusion from check_result c
                             where c.account_id = p.account_id and c.repository_id = p.repository_id and c.commit = p.head_sha
                             order by c.name, c.attempt desc) newest
                where newest.conclusion not in ('pending', 'success', 'skipped', 'neutral', 'cancelled')
                  and not exists (select from check_retry t where t.account_id = p.account_id and t.repository_id = p.repository_id
                                  and t.commit = p.head_sha and t.name = newest.name and t.attempt = newest.attempt)) as "isRed"
       from pull_request p`,
    );
    return new Map(rows.map((row) => [row.number, row]));
  }

  return {
    async look() {
      const before = heads;
      heads = await readHeads();
      const members = await i.kept.query<Member>(
        `select format('%s of %s', n.id, n.started_at) as landing, p.number, m.pinned_head as pinned
         from intent n join batch_member m on m.account_id = n.account_id and m.batch_id = n.batch_id
         join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
         where n.kind = 'land' and n.started_at is not null`,
      );
      const begun = members.filter(({ landing }) => !known.has(landing));
      for (const { landing } of begun) known.add(landing);
      return begun.flatMap(({ landing, number, pinned }) => {
        const was = before.get(number);
        if (was === undefined) return [];
        return [
          ...(was.head === pinned || heads.get(number)?.head === pinned
            ? []
            : [`Landing ${landing} began with the head ${pinned} of #${number}, and the head was ${was.head}.`]),
          ...(was.isRed && heads.get(number)?.isRed !== false
            ? [`Landing ${landing} began, and a check of #${number} had failed.`]
            : []),
        ];
      });
    },
  };
}
