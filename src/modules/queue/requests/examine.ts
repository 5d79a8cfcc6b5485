// Examines a repository for `npm run doctor`: the repository at its code host, its rows and its configuration.
import type { Context } from '../../../context.ts';
import { type BotCommit, botBranchCures, judgeBotChecks } from '../../../domain/doctor/bot-checks.ts';
import { missing, ok, type ReportFinding, warning } from '../../../domain/doctor/finding.ts';
import { isServiceCheck } from '../../../domain/queue/evidence/service-checks.ts';
import { decideHostHold } from '../../../domain/queue/landing/host-rules.ts';
import {
  configurationPath,
  isMergedByHost,
  parseConfiguration,
  problemText,
  type HostDemands,
} from '../../../domain/configuration/index.ts';
import { hostClient, HostRefused, HostUnavailable, toHostedRepository } from '../../../hosts/port.ts';
import { describeFreeze, findFreezeInForce } from '../../../domain/releases/freeze.ts';
import { readBranchHolds, readConfigurationText } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { rulesOf } from '../store/rules-in-force.ts';

interface QueueOf {
  readonly baseBranch: string;
  readonly haltedReason: string | null;
}

/** Reports one finding after another. Every change that the examination makes at the host is undone. */
export async function examineRepository(ctx: Context, row: RepositoryRow, report: ReportFinding): Promise<void> {
  const queues = await readQueues(ctx, row.id);
  const repository = row.active ? row : await withConfigurationFile(ctx, row, report);
  const baseBranches = [...new Set([repository.defaultBranch, ...queues.map(({ baseBranch }) => baseBranch)])];
  const commits = await readBotCommits(ctx, repository.id);
  const requiredChecks = namesOf(repository, { hostRequiredChecks: [] });
  const isBuilt = rulesOf(repository, { hostRequiredChecks: [] }).rules.mode === 'parallel';
  const expectations = { baseBranches, requiredChecks, isValidated: commits.length > 0 || !isBuilt };
  await hostClient(ctx, toHostedRepository(repository)).examine(expectations, report);
  const demanded = new Set(requiredChecks);
  for (const baseBranch of baseBranches)
    for (const name of await examineConfiguration(ctx, repository, { baseBranch, report })) demanded.add(name);
  report(judgeBotChecks({ isBuilt, required: [...demanded], commits, cure: botBranchCures[repository.host] }));
  reportUse(repository, queues, report);
  for (const baseBranch of baseBranches) await reportHolds(ctx, repository, { baseBranch, report });
}

/**
 * Interlock reads the configuration file for the first time when the repository is activated. For a repository that is
 * inactive, the doctor reads the file here.
 */
async function withConfigurationFile(ctx: Context, row: RepositoryRow, report: ReportFinding): Promise<RepositoryRow> {
  const text = await readConfigurationText(ctx, row).catch((error: unknown) => {
    if (error instanceof HostUnavailable || error instanceof HostRefused) return null;
    throw error;
  });
  if (text === null) return row;
  const parsed = parseConfiguration(text);
  if (parsed.ok) return { ...row, configurationYaml: text };
  const problems = parsed.problems.map(problemText).join('; ');
  report(
    missing(
      'configuration',
      `${configurationPath} is refused: ${problems}`,
      `Correct the file on ${row.defaultBranch}.`,
    ),
  );
  return row;
}

/**
 * The names of the checks that the configuration and the host require of a build. Names with wildcards are left out.
 */
function namesOf(repository: RepositoryRow, host: HostDemands): string[] {
  const { rules } = rulesOf(repository, host);
  return (rules.requiredChecks ?? [])
    .map(({ name }) => name)
    .filter((name) => !/[*?]/.test(name) && !isServiceCheck(name));
}

/**
 * Examines whether the host accepts the commits that the configuration makes. Returns the names of the required checks.
 */
async function examineConfiguration(
  ctx: Context,
  repository: RepositoryRow,
  { baseBranch, report }: { readonly baseBranch: string; readonly report: ReportFinding },
): Promise<readonly string[]> {
  const probe = `configuration for ${baseBranch}`;
  try {
    const host = await hostClient(ctx, toHostedRepository(repository)).readBaseRules(baseBranch);
    const demands = { hostRequiredChecks: host.requiredChecks, hostRules: host };
    const { configuration, rules } = rulesOf(repository, demands);
    // If the host refuses every push, the host's own examination reports each of its rules.
    const judged = { ...host, push: host.push === 'refused' ? 'free' : host.push } as const;
    const hold = decideHostHold(judged, { baseBranch, rules, isMergedByHost: isMergedByHost(configuration) });
    report(
      hold === null ? ok(probe, `The host accepts what Interlock lands on ${baseBranch}.`) : missing(probe, hold, null),
    );
    return namesOf(repository, demands);
  } catch (error) {
    if (!(error instanceof HostUnavailable || error instanceof HostRefused)) throw error;
    report(missing(probe, `The rules of ${baseBranch} could not be read: ${error.message}.`, null));
    return [];
  }
}

function reportUse(
  { active, paused, owner, name }: RepositoryRow,
  queues: readonly QueueOf[],
  report: ReportFinding,
): void {
  const probe = 'use';
  if (!active)
    report(
      warning(
        probe,
        `${owner}/${name} is inactive: its pull requests do not land.`,
        'Activate it by the mutation setRepositoryActive (docs/github.md).',
      ),
    );
  if (paused) report(warning(probe, `${owner}/${name} is paused.`, 'Unpause it by pauseRepository.'));
  for (const { baseBranch, haltedReason } of queues)
    if (haltedReason !== null)
      report(warning(probe, `The queue of ${baseBranch} is halted: ${haltedReason}`, 'Resume it by resumeQueue.'));
}

/** Reports what keeps everything from landing on a base branch, besides the pause of the whole repository. */
async function reportHolds(
  ctx: Context,
  repository: RepositoryRow,
  { baseBranch, report }: { readonly baseBranch: string; readonly report: ReportFinding },
): Promise<void> {
  const { pause, freezes } = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await readBranchHolds(tx, repository, baseBranch),
  );
  const probe = `use of ${baseBranch}`;
  if (pause !== null && pause.pattern !== null) {
    const message = pause.message === null ? '' : `: ${pause.message}`;
    const paused = `${baseBranch} is paused by the rule ${pause.pattern}${message}.`;
    report(warning(probe, paused, 'Unpause it by pauseBranches.'));
  }
  const frozen = findFreezeInForce(freezes, ctx.clock().getTime());
  if (frozen === null) return;
  const cure = frozen.freeze.source === 'schedule' ? 'Delete it by deleteFreeze.' : 'End it by unfreezeBranches.';
  report(warning(probe, `${baseBranch} is ${describeFreeze(frozen)}.`, `Wait for the end of the freeze. ${cure}`));
}

async function readQueues(ctx: Context, repositoryId: string): Promise<readonly QueueOf[]> {
  return await ctx.db.read<QueueOf>(ctx.accountId, {
    name: 'doctor_queues',
    text: `select base_branch as "baseBranch", halted_reason as "haltedReason" from queue
           where account_id = $1 and repository_id = $2 order by base_branch`,
    values: [ctx.accountId, repositoryId],
  });
}

const newest = 5;

/** The newest commits on bot branches whose checks have ended, with the newest attempt of each check. */
async function readBotCommits(ctx: Context, repositoryId: string): Promise<BotCommit[]> {
  const rows = await ctx.db.read<{ commit: string; checks: BotCommit['checks'] }>(ctx.accountId, {
    name: 'doctor_bot_commits',
    text: `select built.commit, coalesce((
             select json_agg(json_build_object('name', c.name, 'conclusion', c.conclusion)) from (
               select distinct on (name) name, conclusion from check_result
               where account_id = $1 and repository_id = $2 and commit = built.commit order by name, attempt desc) c
           ), '[]'::json) as checks
           from (select b.commit, b.started_at from build b
                 where b.account_id = $1 and b.repository_id = $2 and b.complete and exists (
                   select 1 from bot_pull_request p
                   where p.account_id = b.account_id and p.repository_id = b.repository_id and p.head_commit_sha = b.commit)
                 order by b.started_at desc limit ${newest}) built
           order by built.started_at desc`,
    values: [ctx.accountId, repositoryId],
  });
  return rows;
}
