// Rules about each landing that has begun since the last call. They compare the landing with the rows as they were
// before the step in which it began.
import { rulesOf } from '../../src/modules/queue/store/rules-in-force.ts';
import { createBuildRules, type Head } from './build-rules.ts';
import { hasStacks, isTargeted, requiresOwnCheck } from './configurations.ts';
import { createFailureRules } from './failure-rules.ts';
import type { Installation } from './installation.ts';

export interface LandingRules {
  look(): Promise<readonly string[]>;
}

interface Member {
  readonly landing: string;
  readonly number: number;
  readonly pinned: string;
  /** The digest of the configuration under which the landing was built. */
  readonly built: string;
}

/** The digest of the keys of a configuration that affect builds. */
function buildKeysOf(configurationYaml: string): string {
  return rulesOf({ configurationYaml }, { hostRequiredChecks: [] }).rules.buildKeysHash;
}

/** Whether `a` is before `b` in line and overlaps it. */
function isAhead(a: Head | undefined, b: Head | undefined): boolean {
  if (a === undefined || b === undefined || !a.isInLine || !b.isInLine || a.queue !== b.queue) return false;
  const isEarlier = a.skipLine === b.skipLine ? (a.rank ?? 0) < (b.rank ?? 0) : a.skipLine;
  const [few, many] = [a.targets, b.targets];
  return isEarlier && (few === null || many === null || few.some((target) => many.includes(target)));
}

export function createLandingRules(i: Installation): LandingRules {
  let heads = new Map<number, Head>();
  let configured = '';
  let wasActive = true;
  const known = new Set<string>();
  const buildRules = createBuildRules(i);
  const failureRules = createFailureRules(i);

  async function readHeads(): Promise<Map<number, Head>> {
    const rows = await i.kept.query<Head>(
      `select p.number, p.queue_id::text as queue, p.head_sha as head, not p.skip_validation and exists (
                select from (select distinct on (c.name) c.name, c.attempt, c.conclusion from check_result c
                             where c.account_id = p.account_id and c.repository_id = p.repository_id and c.commit = p.head_sha
                             order by c.name, c.attempt desc) newest
                where newest.conclusion not in ('pending', 'success', 'skipped', 'neutral', 'cancelled')
                  and not exists (select from check_retry t where t.account_id = p.account_id and t.repository_id = p.repository_id
                                  and t.commit = p.head_sha and t.name = newest.name and t.attempt = newest.attempt)) as "isRed",
              not p.skip_validation and coalesce((
                select c.conclusion from check_result c
                where c.account_id = p.account_id and c.repository_id = p.repository_id and c.commit = p.head_sha and c.name = 'test'
                order by c.attempt desc limit 1), '') not in ('success', 'skipped', 'neutral') as "isUnproven",
              p.status in ('queued', 'tagged') as "isInLine", p.skip_line as "skipLine", p.rank::int as rank, p.affected_targets as targets,
              (select b.number from pull_request b where b.account_id = p.account_id and b.id = p.below_id and b.status not in ('merged', 'closed')) as below
       from pull_request p`,
    );
    return new Map(rows.map((row) => [row.number, row]));
  }

  return {
    async look() {
      const before = heads;
      heads = await readHeads();
      const [repository] = await i.kept.query<{ yaml: string; active: boolean }>(
        'select configuration_yaml as yaml, active from repository',
      );
      const isInactive = !wasActive && repository?.active === false;
      wasActive = repository?.active !== false;
      const inForce = [configured, repository?.yaml ?? ''];
      configured = repository?.yaml ?? '';
      const members = await i.kept.query<Member>(
        `select format('%s of %s', n.id, n.started_at) as landing, p.number, m.pinned_head as pinned, b.build_keys_hash as built
         from intent n join batch_member m on m.account_id = n.account_id and m.batch_id = n.batch_id
         join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
         join batch b on b.account_id = n.account_id and b.id = n.batch_id
         where n.kind = 'land' and n.started_at is not null`,
      );
      const begun = members.filter(({ landing }) => !known.has(landing));
      for (const { landing } of begun) known.add(landing);
      const landings = [...new Set(begun.map(({ landing }) => landing))];
      // A deactivation that was not answered has changed the repository too.
      const inactive = isInactive
        ? landings.map((landing) => `Landing ${landing} began, and the repository was inactive.`)
        : [];
      // The pull request that is ahead may have been moved back in the step in which the landing began.
      const passed = ({ landing, number }: Member): number[] =>
        [...before.values()]
          .filter((other) => isAhead(other, before.get(number)) && isAhead(heads.get(other.number), before.get(number)))
          .filter((other) => !begun.some((each) => each.landing === landing && each.number === other.number))
          .map((other) => other.number);
      const unordered = inForce.every(isTargeted)
        ? begun.flatMap((member) =>
            passed(member).map((other) => `Landing ${member.landing} began with #${member.number} before #${other}.`),
          )
        : [];
      const unstacked = inForce.every(hasStacks)
        ? begun.flatMap(({ landing, number }) => {
            const below = before.get(number)?.below ?? null;
            const isWith = begun.some((each) => each.landing === landing && each.number === below);
            return below === null || isWith || heads.get(number)?.below !== below
              ? []
              : [`Landing ${landing} began with #${number} without #${below} below it.`];
          })
        : [];
      const wrong = begun.flatMap(({ landing, number, pinned }) => {
        const was = before.get(number);
        if (was === undefined) return [];
        return [
          ...(was.head === pinned || heads.get(number)?.head === pinned
            ? []
            : [`Landing ${landing} began with the head ${pinned} of #${number}, and the head was ${was.head}.`]),
          ...(was.isRed && heads.get(number)?.isRed !== false
            ? [`Landing ${landing} began, and a check of #${number} had failed.`]
            : []),
          ...(inForce.every(requiresOwnCheck) && was.isUnproven && heads.get(number)?.isUnproven !== false
            ? [`Landing ${landing} began, and the check of #${number} had not passed.`]
            : []),
        ];
      });
      const hashes = new Set(inForce.filter((yaml) => yaml !== '').map(buildKeysOf));
      const outdated = begun
        .filter(({ built }) => !hashes.has(built))
        .map(({ landing }) => `Landing ${landing} began, and was built under another configuration.`);
      const builds = await buildRules.look(inForce, { before, now: heads });
      const failures = await failureRules.look(before, heads);
      return [...wrong, ...inactive, ...unordered, ...unstacked, ...outdated, ...builds, ...failures];
    },
  };
}
