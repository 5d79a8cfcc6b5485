// Rules about each build that has begun since the last call. Like the rules about landings, they compare the build with
// the rows as they were before the step in which it began.
import { hasStacks, isSerial, mostBuilds } from './configurations.ts';
import type { Installation } from './installation.ts';

export interface Head {
  readonly number: number;
  readonly queue: string;
  readonly head: string;
  /** Whether the newest results of the checks on the head contain a failure, and the pull request must be validated. */
  readonly isRed: boolean;
  /** Whether the newest result of the check of the head is no success, and the pull request must be validated. */
  readonly isUnproven: boolean;
  readonly isInLine: boolean;
  readonly skipLine: boolean;
  readonly rank: number | null;
  /** Null: the pull request may affect everything. */
  readonly targets: readonly string[] | null;
  /** The open pull request that it is stacked on. Null: there is none. */
  readonly below: number | null;
}

export interface BuildRules {
  /** `inForce`: the configurations in force before the step and after it. `heads`: the pull requests, by number. */
  look(inForce: readonly string[], heads: Heads): Promise<readonly string[]>;
}

interface Heads {
  readonly before: ReadonlyMap<number, Head>;
  readonly now: ReadonlyMap<number, Head>;
}

interface Live {
  readonly id: number;
  readonly queue: string;
  readonly position: number;
  /** Whether the build is beside the line. */
  readonly isBeside: boolean;
  /** Whether the build is a part of a bisected batch, beside the line. */
  readonly isPart: boolean;
  /** Whether its result is open, and no other build of its tree has ended. */
  readonly isRunning: boolean;
  readonly members: readonly number[];
  readonly assumed: readonly number[];
}

export function createBuildRules(i: Installation): BuildRules {
  const known = new Set<number>();

  async function readLive(): Promise<readonly Live[]> {
    return await i.rows<Live>(
      `select b.id::int as id, b.queue_id::text as queue, b.position::int as position, b.side_build is not null as "isBeside",
              coalesce(b.side_build = 'part', false) as "isPart",
              b.state in ('making', 'building') and b.rests_on = '{}' and not b.given_up and q.halted_reason is null
                and not exists (select from build u where u.account_id = b.account_id and u.repository_id = b.repository_id
                                and (u.commit = b.tested_commit or u.tree = b.tree) and u.finished_at is not null)
                and not exists (select from batch_member m join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
                                where m.account_id = b.account_id and m.batch_id = b.id and p.skip_validation) as "isRunning",
              array(select p.number from batch_member m join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
                    where m.account_id = b.account_id and m.batch_id = b.id) as members,
              array(select p.number from batch_assumption a join pull_request p on p.account_id = a.account_id and p.id = a.pull_request_id
                    where a.account_id = b.account_id and a.batch_id = b.id) as assumed
       from batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
       where b.state in ('making', 'building', 'landing') order by b.id`,
    );
  }

  return {
    async look(inForce, heads) {
      const ids = await i.kept.query<{ id: number }>(
        "select id::int as id from batch where state in ('making', 'building', 'landing')",
      );
      const begun = ids.filter(({ id }) => !known.has(id)).map(({ id }) => id);
      if (begun.length === 0) return [];
      for (const id of begun) known.add(id);
      const live = await readLive();
      return live
        .filter(({ id }) => begun.includes(id))
        .flatMap((build) => [
          ...(inForce.every(hasStacks) ? withoutBelow(build, live, heads) : []),
          ...(inForce.every(isSerial) ? besideOthers(build, live) : []),
          ...behindOthers(build, heads),
          ...beyondLimit(build, live, Math.max(...inForce.map(mostBuilds))),
        ]);
    },
  };
}

/** Whether both builds are in one line, and `a` is before `b`. */
function isBefore(a: Live, b: Live): boolean {
  return a.queue === b.queue && !a.isBeside && !b.isBeside && a.position < b.position;
}

/** A build contains the pull request below each of its members, or is built on a build that contains it. */
function withoutBelow(build: Live, live: readonly Live[], { before, now }: Heads): string[] {
  const earlier = live.filter((each) => isBefore(each, build));
  const contained = [...build.members, ...build.assumed, ...earlier.flatMap((each) => each.members)];
  return build.members.flatMap((number) => {
    const below = before.get(number)?.below ?? null;
    if (below === null || below !== now.get(number)?.below || contained.includes(below)) return [];
    return [`Build ${build.id} of #${number} began without #${below} below it.`];
  });
}

/** In serial mode, a queue has one build at a time. */
function besideOthers(build: Live, live: readonly Live[]): string[] {
  return live
    .filter((each) => isBefore(each, build))
    .map(({ id }) => `Build ${build.id} began in serial mode while build ${id} ran.`);
}

/**
 * A part with one member begins only after all pull requests that were before the member have left the line, because its
 * red build is final.
 */
function behindOthers(build: Live, { before, now }: Heads): string[] {
  const [number] = build.members;
  if (!build.isPart || number === undefined || build.members.length > 1) return [];
  const isAhead = (heads: ReadonlyMap<number, Head>, other: number): boolean => {
    const [a, b] = [heads.get(other), heads.get(number)];
    return a?.isInLine === true && !a.skipLine && a.queue === b?.queue && (a.rank ?? 0) < (b.rank ?? 0);
  };
  return [...now.keys()]
    .filter((other) => isAhead(before, other) && isAhead(now, other))
    .map((other) => `Build ${build.id} of #${number} alone began, and #${other} is before it in line.`);
}

/** All base branches together have at most as many running builds as the configuration allows. */
function beyondLimit(build: Live, live: readonly Live[], most: number): string[] {
  const running = live.filter(({ isRunning }) => isRunning);
  if (!build.isRunning || running.length <= most) return [];
  return [`Build ${build.id} began, and ${running.length} builds run, but the configuration allows ${most}.`];
}
