// Checks the invariants of an installation (docs/operations.md). The check does not change the rows that it checks.
import type { Logger } from 'pino';
import type { Ports } from '../../../context.ts';
import { violationsText, type InvariantName, type Violation } from '../../../domain/health/invariants.ts';
import {
  findBrokenHistories,
  findHeldQueues,
  findLandingsWhilePaused,
  findLostLandings,
  findTooManyBuilds,
  findUnjustifiedLandings,
} from './judged.ts';
import { statements } from './statements.ts';

export interface Comparison {
  /**
   * `all`: every row, and the git repositories of every host. `recent`: the newest rows, and only the git repositories
   * on this machine.
   */
  readonly scope: 'all' | 'recent';
  /** How many of the newest rows of each table are compared, if the scope is `recent`. Default: 5,000. */
  readonly newest?: number;
  /** The invariants that are compared. Default: all. */
  readonly only?: (invariant: InvariantName) => boolean;
}

const everything = 1_000_000_000_000;
const recentRows = 5_000;
const recentLandings = 50;

export async function findViolations(
  ports: Pick<Ports, 'db' | 'clock' | 'hosts'>,
  { scope, newest = recentRows, only = () => true }: Comparison,
): Promise<readonly Violation[]> {
  const { query } = ports.db.system;
  const reach = scope === 'all' ? everything : newest;
  const now = ports.clock();
  const values = [reach, now.toISOString(), await findHeldQueues(query, now)];
  const violations: Violation[] = [];
  for (const [invariant, texts] of Object.entries(statements) as [InvariantName, readonly string[]][]) {
    if (!only(invariant)) continue;
    for (const text of texts) {
      const rows = await query<Omit<Violation, 'invariant'>>(asked(text), values);
      violations.push(...rows.map((row) => ({ invariant, ...row })));
    }
  }
  const judged = {
    green_base: async () => await findUnjustifiedLandings(query, reach),
    absolute_pause: async () => await findLandingsWhilePaused(query, reach),
    event_grammar: async () => await findBrokenHistories(query, reach),
    bounded_builds: async () => await findTooManyBuilds(query),
    landed_tree: async () =>
      await findLostLandings(ports, {
        perQueue: scope === 'all' ? everything : recentLandings,
        hosts: scope === 'all' ? ['local', 'github'] : ['local'],
      }),
  } satisfies Partial<Record<InvariantName, () => Promise<readonly Violation[]>>>;
  for (const [invariant, find] of Object.entries(judged))
    if (only(invariant as InvariantName)) violations.push(...(await find()));
  return violations;
}

/** The statement with the types of all values, because PostgreSQL needs them even if the statement does not use a value. */
function asked(text: string): string {
  return `with given as (select $1::bigint, $2::timestamptz, $3::bigint[])
    select v.account, v.sentence from given, lateral (${text}) v`;
}

export interface InvariantWatch {
  /**
   * The violations of the newest comparison that this process has made or read. Null: this process has no comparison
   * yet.
   */
  readonly violations: () => readonly Violation[] | null;
  /**
   * Checks the invariants, and logs the violations. If another process has begun a comparison within the interval,
   * reads the result of the last comparison instead.
   */
  look(): Promise<void>;
}

/** Shorter than the minute after which each process calls `look` again. */
const comparisonInterval = "interval '50 seconds'";

/**
 * Begins a comparison. Returns false if another comparison began within the interval. The clocks of the processes may
 * differ.
 */
async function beginComparison({ db, clock }: Pick<Ports, 'db' | 'clock'>): Promise<boolean> {
  const begun = await db.system.query(
    `update invariant_comparison set began_at = $1 where began_at is null
       or began_at not between $1::timestamptz - ${comparisonInterval} and $1::timestamptz + ${comparisonInterval}
     returning id`,
    [clock()],
  );
  return begun.length > 0;
}

export function watchInvariants(
  ports: Pick<Ports, 'db' | 'clock' | 'hosts'> & { readonly log: Logger },
): InvariantWatch {
  let violations: readonly Violation[] | null = null;
  return {
    violations: () => violations,
    async look() {
      const { query } = ports.db.system;
      if (!(await beginComparison(ports))) {
        const [row] = await query<{ violations: readonly Violation[] | null }>(
          'select violations from invariant_comparison',
        );
        violations = row?.violations ?? null;
        return;
      }
      violations = await findViolations(ports, { scope: 'recent' });
      await query('update invariant_comparison set violations = $1', [JSON.stringify(violations)]);
      const text = violationsText(violations);
      if (text !== null) ports.log.error({ violations: violations.slice(0, 20) }, text);
    },
  };
}
