// Compares an installation with its invariants (docs/operations.md). It only reads.
import type { Logger } from 'pino';
import type { Ports } from '../../../context.ts';
import { violationsText, type InvariantName, type Violation } from '../../../domain/health/invariants.ts';
import {
  findBrokenHistories,
  findLandingsWhilePaused,
  findLostLandings,
  findTooManyBuilds,
  findUnjustified,
} from './judged.ts';
import { statements } from './statements.ts';

export interface Comparison {
  /** `all`: every row, and git at every host. `recent`: the newest rows, and git on this machine alone. */
  readonly scope: 'all' | 'recent';
}

const everything = 1_000_000_000_000;
const recentRows = 5_000;
const recentLandings = 50;

export async function findViolations(
  ports: Pick<Ports, 'db' | 'clock' | 'hosts'>,
  { scope }: Comparison,
): Promise<readonly Violation[]> {
  const { query } = ports.db.system;
  const reach = scope === 'all' ? everything : recentRows;
  const values = [ports.clock().toISOString(), reach];
  const violations: Violation[] = [];
  for (const [invariant, texts] of Object.entries(statements) as [InvariantName, readonly string[]][])
    for (const text of texts) {
      // PostgreSQL wants a type for every parameter, also for one that a statement does not use.
      const asked = `with given as (select $1::timestamptz, $2::bigint) select v.account, v.sentence from given, lateral (${text}) v`;
      const rows = await query<Omit<Violation, 'invariant'>>(asked, values);
      violations.push(...rows.map((row) => ({ invariant, ...row })));
    }
  violations.push(
    ...(await findUnjustified(query, reach)),
    ...(await findLandingsWhilePaused(query, reach)),
    ...(await findBrokenHistories(query, reach)),
    ...(await findTooManyBuilds(query)),
    ...(await findLostLandings(ports, {
      perQueue: scope === 'all' ? everything : recentLandings,
      hosts: scope === 'all' ? ['local', 'github'] : ['local'],
    })),
  );
  return violations;
}

export interface InvariantWatch {
  /** As of the last look. Null: there was none yet. */
  readonly violations: () => readonly Violation[] | null;
  /** Says in the log what it finds. */
  look(): Promise<void>;
}

export function watchInvariants(
  ports: Pick<Ports, 'db' | 'clock' | 'hosts'> & { readonly log: Logger },
): InvariantWatch {
  let violations: readonly Violation[] | null = null;
  return {
    violations: () => violations,
    async look() {
      violations = await findViolations(ports, { scope: 'recent' });
      const text = violationsText(violations);
      if (text !== null) ports.log.error({ violations: violations.slice(0, 20) }, text);
    },
  };
}
