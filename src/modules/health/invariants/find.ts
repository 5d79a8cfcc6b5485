// Checks the invariants of an installation (docs/operations.md). The check does not change the rows that it checks.
import type { Logger } from 'pino';
import type { Ports } from '../../../context.ts';
import {
  findingsText,
  isOutdated,
  type Findings,
  type InvariantName,
  type InvariantReport,
  type Violation,
} from '../../../domain/health/invariants.ts';
import {
  findBrokenHistories,
  findHeldQueues,
  findLostLandings,
  findStuckBatches,
  findTooManyBuilds,
  findUnjustifiedLandings,
  reasonOf,
} from './judged.ts';
import { findLandingsWhilePaused } from './paused-landings.ts';
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

/**
 * If a statement fails or a repository cannot be read, the rest is compared all the same. Otherwise one bad repository
 * would hide violations elsewhere.
 */
export async function compareWithInvariants(
  ports: Pick<Ports, 'db' | 'clock' | 'hosts'>,
  { scope, newest = recentRows, only = () => true }: Comparison,
): Promise<Findings> {
  const { query } = ports.db.system;
  const reach = scope === 'all' ? everything : newest;
  const now = ports.clock();
  let held: Promise<readonly string[]> | undefined;
  const readHeld = async (): Promise<readonly string[]> => await (held ??= findHeldQueues(query, now));
  const violations: Violation[] = [];
  const uncompared: Violation[] = [];
  const compare = async (invariant: InvariantName, find: () => Promise<readonly Violation[]>): Promise<void> => {
    if (!only(invariant)) return;
    try {
      violations.push(...(await find()));
    } catch (error) {
      uncompared.push({ invariant, account: '', sentence: `The comparison failed: ${reasonOf(error)}` });
    }
  };
  for (const [invariant, texts] of Object.entries(statements) as [InvariantName, readonly string[]][])
    for (const text of texts)
      await compare(invariant, async () => {
        const values = [reach, now.toISOString(), text.includes(heldQueues) ? await readHeld() : []];
        const rows = await query<Omit<Violation, 'invariant'>>(...asked(text, values));
        return rows.map((row) => ({ invariant, ...row }));
      });
  await compare('green_base', async () => await findUnjustifiedLandings(query, reach));
  await compare('absolute_pause', async () => await findLandingsWhilePaused(query, reach));
  await compare('event_grammar', async () => await findBrokenHistories(query, reach));
  await compare('line_moves', async () => await findStuckBatches(query, { now, held: await readHeld() }));
  await compare('bounded_builds', async () => await findTooManyBuilds(query));
  await compare('landed_tree', async () => {
    const found = await findLostLandings(ports, {
      perQueue: scope === 'all' ? everything : recentLandings,
      hosts: scope === 'all' ? ['local', 'github'] : ['local'],
    });
    uncompared.push(...found.uncompared);
    return found.violations;
  });
  return { violations, uncompared };
}

/** The parameter of the queues that are held. They are read only for the statements that use them. */
const heldQueues = '$3';
const types = ['bigint', 'timestamptz', 'bigint[]'];

/**
 * The statement with the values up to the last one that it uses, so that the answer to a statement that does not use the
 * present instant can be kept. PostgreSQL needs the types even if a value is not used.
 */
function asked(text: string, values: readonly unknown[]): [string, readonly unknown[]] {
  const used = types.findLastIndex((_, index) => text.includes(`$${index + 1}`)) + 1;
  const given = types.slice(0, used).map((type, index) => `$${index + 1}::${type}`);
  const statement =
    used === 0
      ? text
      : `with given as (select ${given.join()}) select v.account, v.sentence from given, lateral (${text}) v`;
  return [statement, values.slice(0, used)];
}

export interface InvariantWatch {
  /** The newest comparison that this process has made or read. Null: there is none yet. */
  readonly report: () => InvariantReport | null;
  /**
   * Checks the invariants, and logs the findings. If another process has begun a comparison within the interval, reads
   * the findings of the last comparison instead.
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
  let newest: (Findings & { readonly endedAt: Date }) | null = null;
  return {
    report: () => newest && { ...newest, isOutdated: isOutdated(newest.endedAt, ports.clock()) },
    async look() {
      const { query } = ports.db.system;
      if (!(await beginComparison(ports))) {
        const [row] = await query<Findings & { readonly endedAt: Date }>(
          `select violations, uncompared, ended_at as "endedAt" from invariant_comparison where ended_at is not null`,
        );
        newest = row ?? null;
        return;
      }
      const findings = await compareWithInvariants(ports, { scope: 'recent' });
      const endedAt = ports.clock();
      // Throws during an outage of the database. The outage may have broken the comparison off, so the one before stays.
      await query('update invariant_comparison set violations = $1, uncompared = $2, ended_at = $3', [
        JSON.stringify(findings.violations),
        JSON.stringify(findings.uncompared),
        endedAt,
      ]);
      newest = { ...findings, endedAt };
      const text = findingsText(findings);
      if (text !== null)
        ports.log.error({ findings: [...findings.violations, ...findings.uncompared].slice(0, 20) }, text);
    },
  };
}
