import { createHash } from 'node:crypto';
import { matchesGlob } from '../glob.ts';
import { verificationCheckName } from '../previews/check.ts';
import { passingByDefault } from '../queue/evidence/evidence.ts';
import { isServiceCheck } from '../queue/evidence/service-checks.ts';
import { landsBuiltCommitsOnly, mergeCommitsOf, type HostRules } from '../queue/landing/host-rules.ts';
import type { QueueRules, RequiredCheck, FinalGate } from '../queue/model/rules.ts';
import { listKeys } from './key.ts';
import { configurationSchema } from './keys.ts';
import type { Configuration } from './keys.ts';

const everyCheck: RequiredCheck = { name: '*', acceptableStatuses: passingByDefault };

/** What the code host demands of commits on a base branch. */
export interface HostDemands {
  /** The checks that the host's rules for the branch require. */
  readonly hostRequiredChecks: readonly string[];
  /** Null or absent: not read yet. */
  readonly hostRules?: HostRules | null | undefined;
}

/** The part of a configuration that the planner reads. */
export function toQueueRules(configuration: Configuration, host: HostDemands): QueueRules {
  const { merge_mode, merge_strategy, ci_timeout_mins } = configuration.merge_rules;
  const mode = queueModes[merge_mode.type];
  const parallel = merge_mode.parallel_mode;
  const isParallel = mode === 'parallel';
  // The merge call of a host lands one pull request at a time, and an optimistic pass would land several at once.
  const landsSeveral = isParallel && !isMergedByHost(configuration);
  return {
    mode,
    maxParallelBuilds: isParallel ? (parallel.max_parallel_builds ?? null) : 1,
    batchSize: landsSeveral ? parallel.batch_size : 1,
    batchMaxWaitMinutes: isParallel ? parallel.batch_max_wait_minutes : 0,
    useOptimisticValidation: landsSeveral && parallel.use_optimistic_validation,
    optimisticValidationFailureDepth: parallel.optimistic_validation_failure_depth,
    maxRequeueAttempts: isParallel ? parallel.max_requeue_attempts : 0,
    ciTimeoutMins: ci_timeout_mins,
    ...(isParallel ? parallelRules(parallel) : noParallelRules),
    skipDraftWhenUpToDate: parallel.skip_draft_when_up_to_date,
    strategy: merge_strategy.name,
    batchCommit: merge_strategy.batch_commit,
    requiredChecks: buildRequiredChecks(configuration, host),
    ownRequiredChecks: ownRequiredChecks(configuration, host.hostRequiredChecks),
    retriableChecks: retriableChecks(configuration),
    waitsForPendingWorkflows: isParallel && parallel.wait_for_pending_github_workflows,
    finalGates: isParallel ? finalGates(configuration) : [],
    speculation: isParallel ? configuration.merge_rules.speculation : 'linear',
    useAffectedTargets: isParallel && parallel.use_affected_targets,
    ...(landsBuiltCommitsOnly(host.hostRules ?? null, { isMergedByHost: isMergedByHost(configuration) }) && {
      landsBuiltCommitsOnly: true,
    }),
    buildKeysHash: buildKeysHash(configuration),
  };
}

type ParallelMode = Configuration['merge_rules']['merge_mode']['parallel_mode'];
type ParallelRules = Pick<
  QueueRules,
  | 'checksStartedTimeoutMins'
  | 'maxParallelPausedBuilds'
  | 'maxTopupBuilds'
  | 'maxBisectionAttempts'
  | 'maxBisectedBatchSize'
  | 'useParallelBisection'
  | 'maxParallelBisectedBuilds'
  | 'useProactiveDequeue'
  | 'proactiveDequeueDelaySeconds'
  | 'barrierLabel'
  | 'stuckTimeoutMins'
  | 'bypassStuckState'
>;

/** The values outside parallel mode of the rules that only parallel mode has. With these values, each rule is off. */
export const noParallelRules: ParallelRules = {
  checksStartedTimeoutMins: 0,
  maxParallelPausedBuilds: null,
  maxTopupBuilds: 0,
  maxBisectionAttempts: null,
  maxBisectedBatchSize: null,
  useParallelBisection: false,
  maxParallelBisectedBuilds: null,
  useProactiveDequeue: false,
  proactiveDequeueDelaySeconds: 0,
  barrierLabel: null,
  stuckTimeoutMins: null,
  bypassStuckState: false,
};

function parallelRules(mode: ParallelMode): ParallelRules {
  return {
    checksStartedTimeoutMins: mode.draft_checks_started_timeout_mins,
    maxParallelPausedBuilds: mode.max_parallel_paused_builds ?? null,
    maxTopupBuilds: mode.max_topup_builds,
    maxBisectionAttempts: mode.max_bisection_attempts ?? null,
    maxBisectedBatchSize: mode.max_bisected_batch_size ?? null,
    useParallelBisection: mode.use_parallel_bisection,
    maxParallelBisectedBuilds: mode.max_parallel_bisected_builds ?? null,
    useProactiveDequeue: mode.use_proactive_dequeue,
    proactiveDequeueDelaySeconds: mode.proactive_dequeue_delay_seconds,
    barrierLabel: mode.block_parallel_builds_label === '' ? null : mode.block_parallel_builds_label,
    stuckTimeoutMins: mode.stuck_pr_timeout_mins ?? null,
    bypassStuckState: mode.bypass_stuck_state,
  };
}

/** Whether the merge call of the host lands each pull request. */
export function isMergedByHost({ merge_rules: { merge_mode } }: Configuration): boolean {
  return merge_mode.type === 'parallel' && merge_mode.parallel_mode.use_fast_forwarding === false;
}

/** The configuration key that makes landings contain merge commits, and how to change it. Null: none does. */
export function findMergeCommits(configuration: Configuration): ReturnType<typeof mergeCommitsOf> {
  const rules = toQueueRules(configuration, { hostRequiredChecks: [] });
  return mergeCommitsOf({ rules, isMergedByHost: isMergedByHost(configuration) });
}

const queueModes = { default: 'serial', parallel: 'parallel', 'no-queue': 'no-queue' } as const;

/**
 * The checks that a head must pass. If the list is empty, no check is required, because a host without branch
 * protection has no checks to wait for. require_all_checks_pass adds every check that ran to the named checks. It does
 * not replace these, so that a named check that has not started is still awaited.
 */
function ownRequiredChecks(
  configuration: Configuration,
  hostRequired: readonly string[],
): readonly RequiredCheck[] | null {
  const { preconditions, require_all_checks_pass } = configuration.merge_rules;
  const named = preconditions.required_checks.map(toRequiredCheck);
  // Checks of the service are required in addition to those of the host. In both lists they are awaited, because they
  // may start after CI has ended.
  const serviceChecks = named.filter(({ name }) => isServiceCheck(name)).map((check) => awaited(check, configuration));
  const otherChecks = preconditions.use_github_mergeability
    ? hostRequired.map((name) => (isServiceCheck(name) ? awaited(byName(name), configuration) : byName(name)))
    : named.filter(({ name }) => !isServiceCheck(name));
  const required = [...otherChecks, ...serviceChecks];
  return require_all_checks_pass ? withEveryCheck(required) : required;
}

/**
 * The checks that a build's commit must pass. The list is never empty, because a commit without any check is never
 * green. A serial build is the updated head of the pull request, so the keys of the parallel mode do not apply.
 */
function buildRequiredChecks(
  configuration: Configuration,
  { hostRequiredChecks, hostRules = null }: HostDemands,
): readonly RequiredCheck[] | null {
  const { preconditions, merge_mode, require_all_checks_pass } = configuration.merge_rules;
  const parallel = merge_mode.parallel_mode;
  const isParallel = merge_mode.type === 'parallel';
  const overriding = isParallel ? parallel.override_required_checks : [];
  const written = overriding.length > 0 ? overriding : preconditions.required_checks;
  const named = written.map(toRequiredCheck).filter(({ name }) => !isServiceCheck(name));
  const usesHostChecks = named.length === 0 && preconditions.use_github_mergeability;
  // The branch protection of a host may require checks that exist only on heads.
  const chosen = usesHostChecks ? hostRequiredChecks.filter((name) => !isServiceCheck(name)).map(byName) : named;
  const wantsEveryCheck = isParallel ? parallel.require_all_draft_checks_pass : require_all_checks_pass;
  const required = isMergedByHost(configuration) ? chosen : withEnforced(chosen, hostRules);
  return wantsEveryCheck || chosen.length === 0 ? withEveryCheck(required) : required;
}

/** Adds the checks without which the host accepts no commit, even if the configuration does not name them. */
function withEnforced(chosen: readonly RequiredCheck[], host: HostRules | null): readonly RequiredCheck[] {
  if (host?.push !== 'checked') return chosen;
  const enforced = (host.enforcedChecks ?? []).filter(
    (name) =>
      !isServiceCheck(name) &&
      !chosen.some((check) => check.name === name && check.acceptableStatuses === passingByDefault),
  );
  return [...chosen, ...enforced.map(byName)];
}

/** Null: no check is retried. */
function retriableChecks({ merge_rules: { flaky_retry } }: Configuration): readonly string[] | null {
  if (!flaky_retry.enabled) return null;
  const named = flaky_retry.retriable_checks.map(({ name }) => name);
  return named.length === 0 ? ['*'] : named;
}

function finalGates({ merge_rules: { final_gates } }: Configuration): readonly FinalGate[] {
  return final_gates.map(({ workflow, timeout_mins, label }) => ({
    workflow,
    timeoutMins: timeout_mins,
    label: label || null,
  }));
}

function withEveryCheck(required: readonly RequiredCheck[]): readonly RequiredCheck[] | null {
  return required.length === 0 ? null : [...required, everyCheck];
}

type CheckSetting = Configuration['merge_rules']['preconditions']['required_checks'][number];

function toRequiredCheck(setting: CheckSetting): RequiredCheck {
  if (typeof setting === 'string') return byName(setting);
  return { name: setting.name, acceptableStatuses: setting.acceptable_statuses ?? passingByDefault };
}

/**
 * Marks the check of a verification as awaited, because it may start shortly after CI has ended. Without configured
 * previews no verification starts.
 */
function awaited(check: RequiredCheck, { verify }: Configuration): RequiredCheck {
  return verify.preview.length === 0 ? check : { ...check, isAwaited: true };
}

function byName(name: string): RequiredCheck {
  return { name, acceptableStatuses: passingByDefault };
}

/** The number of approvals that a pull request needs. Null: not configured, so the rule of the host applies. */
export function numberOfApprovals(configuration: Configuration): number | null {
  return configuration.merge_rules.preconditions.number_of_approvals ?? null;
}

const buildKeys = listKeys(configurationSchema).filter((entry) => entry.effectOnBuilds === 'build');
const defaults = configurationSchema.parse({});

/**
 * A digest of the keys that affect builds. It covers only values that differ from the defaults, so that a version with
 * more keys does not reset every queue.
 */
function buildKeysHash(configuration: Configuration): string {
  const changed = buildKeys
    .map(({ path }) => [path.join('.'), JSON.stringify(at(configuration, path)) ?? null] as const)
    .filter(([, value], index) => value !== (JSON.stringify(at(defaults, buildKeys[index]?.path ?? [])) ?? null));
  return createHash('sha256').update(JSON.stringify(changed.toSorted())).digest('hex');
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}

/**
 * Whether the verification is required, by its name or by a glob of service checks. A glob that matches every check
 * does not count, because it only requires the checks that ran.
 */
export function requiresVerification({ merge_rules }: Configuration): boolean {
  return merge_rules.preconditions.required_checks
    .map((check) => toRequiredCheck(check).name)
    .some((name) => isServiceCheck(name) && matchesGlob(name, verificationCheckName));
}
