// Decides whether a pull request may enter or stay in line: loads the facts, calls the domain, and writes the decision.
import { hasLabel } from '../../../domain/label-names.ts';
import type { Context } from '../../../context.ts';
import {
  blockedLabel,
  isManagedBranch,
  numberOfApprovals,
  type Configuration,
} from '../../../domain/configuration/index.ts';
import {
  decideAdmission,
  type Admission,
  type AdmissionFacts,
  type AdmissionRequest,
} from '../../../domain/queue/requests/admission.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import { strategyContradiction } from '../../../domain/queue/landing/merge-strategy.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import type { AdmissionRow, WantedRows, LineRow } from '../store/line.rows.ts';
import { readLandingMembers } from '../store/intents.ts';
import { rulesOf } from '../store/rules-in-force.ts';
import { PullRequestEntity, type PullRequestRow, type QueueRow } from '../store/queue.entities.ts';
import { loadBuilds } from '../facts/builds.loader.ts';
import { judgeBuilds, judgeOwnChecks } from '../facts/judged-builds.ts';
import { readWrittenLine, type HeadBuilds, type LineRead } from '../facts/kept-line.ts';
import { isInStack, obstacleBelow, readPullRequestsBelow } from '../facts/stacks.ts';
import { readFactsOfHeads, type FactsOfHeads } from './facts-of-heads.ts';
import { judgeValidations, validationFacts, type ValidationResults } from './validations.service.ts';
import { announce, blockPullRequest, writeStatus, type QueueWork } from '../store/status.writer.ts';

interface Line {
  readonly repository: RepositoryRow;
  readonly queue: QueueRow;
}

interface AdmissionSubject extends Line {
  readonly pullRequest: AdmissionRow;
}

type Seen = Pick<
  AdmissionFacts,
  'ownVerdict' | 'ownFailedChecks' | 'ownMissingChecks' | 'ownCanceledChecks' | 'conflictsWithBase' | 'waitsForBelow'
>;

/** `known`: the facts of its head, if they were read. */
export async function loadAdmission(
  ctx: Context,
  tx: Transaction,
  of: AdmissionSubject & { readonly known?: FactsOfHeads | null },
): Promise<Admission> {
  const isKnown = of.known?.heads.includes(of.pullRequest.headSha);
  const known = isKnown ? of.known : null;
  const [admission] = await decideAll(ctx, tx, { line: of, pullRequests: [of.pullRequest], known });
  if (admission === undefined) throw new Error('No admission was decided.');
  return admission;
}

/**
 * Returns the admissions in the order of the pull requests. The number of statements does not depend on the number of
 * pull requests.
 */
async function decideAll(
  ctx: Context,
  tx: Transaction,
  of: {
    readonly line: Line;
    readonly pullRequests: readonly AdmissionRow[];
    readonly known?: FactsOfHeads | null | undefined;
  },
): Promise<Admission[]> {
  const { line, pullRequests } = of;
  const { repository, queue } = line;
  const heads = pullRequests.map((pullRequest) => pullRequest.headSha);
  const { configuration, rules } = rulesOf(repository, queue);
  // Reads that do not need each other share a round trip.
  const [facts, validated, below] = await Promise.all([
    of.known ?? readFactsOfHeads(ctx, tx, { queue, heads }),
    judgeValidations(ctx, tx, { configuration, rows: pullRequests }),
    readPullRequestsBelow(ctx, tx, pullRequests),
  ]);
  const wanted = { repositoryId: repository.id };
  const judged = await judgeBuilds(ctx, tx, { builds: facts.builds, wanted, rules });
  const builds = new Map(judged.map((build) => [build.commit, build]));
  return pullRequests.map((pullRequest) => {
    const own = judgeOwnChecks(builds.get(pullRequest.headSha), rules);
    const seen = {
      ownVerdict: own.verdict,
      ownFailedChecks: own.failed,
      ownMissingChecks: own.missing,
      ownCanceledChecks: own.canceled,
      conflictsWithBase: facts.conflicting.has(pullRequest.headSha),
      waitsForBelow: obstacleBelow(below, pullRequest.belowId),
    };
    return decideWith({ configuration, rules, validated }, { repository, queue, pullRequest, seen });
  });
}

/**
 * Why a pull request must leave the line: for example, an approval was withdrawn, changes were requested, or it became
 * a draft. Own checks, conflicts and stacks are not considered, because the planner judges them. Null: the pull request
 * stays in line.
 */
export function findLoss({ repository, queue, pullRequest }: Line & { pullRequest: PullRequestRow }): Loss | null {
  const { configuration, rules } = rulesOf(repository, queue);
  const { failedValidations } = validationFacts(configuration, pullRequest);
  const validated = new Map([[pullRequest.id, failedValidations]]);
  return lossOf({ configuration, rules, validated }, { repository, queue, pullRequest });
}

type Loss = Exclude<Admission, { kind: 'queue' }>;

async function findLosses<Row extends AdmissionRow>(
  ctx: Context,
  tx: Transaction,
  { line: { repository, queue }, pullRequests }: { readonly line: Line; readonly pullRequests: readonly Row[] },
): Promise<{ readonly pullRequest: Row; readonly loss: Loss }[]> {
  const { configuration, rules } = rulesOf(repository, queue);
  const inForce = {
    configuration,
    rules,
    validated: await judgeValidations(ctx, tx, { configuration, rows: pullRequests }),
  };
  return pullRequests.flatMap((pullRequest) => {
    const loss = keptLossOf(inForce, { repository, queue, pullRequest });
    return loss === null ? [] : [{ pullRequest, loss }];
  });
}

/** The last decision about each row of a kept line. A row of a kept line is the same object until it changes. */
const keptLosses = new WeakMap<AdmissionRow, { readonly by: readonly unknown[]; readonly loss: Loss | null }>();

function keptLossOf(inForce: InForce, of: AdmissionSubject): Loss | null {
  const { pullRequest, repository, queue } = of;
  if (inForce.validated.has(pullRequest.id)) return lossOf(inForce, of);
  const by = [inForce.configuration, inForce.rules, repository.defaultBranch, queue.baseBranch];
  const known = keptLosses.get(pullRequest);
  if (known?.by.every((value, at) => value === by[at])) return known.loss;
  const loss = lossOf(inForce, of);
  keptLosses.set(pullRequest, { by, loss });
  return loss;
}

function lossOf(inForce: InForce, of: AdmissionSubject): Loss | null {
  const seen: Seen = {
    ownVerdict: 'green',
    ownFailedChecks: [],
    ownMissingChecks: [],
    ownCanceledChecks: [],
    conflictsWithBase: false,
    waitsForBelow: null,
  };
  const admission = decideWith(inForce, { ...of, seen });
  return admission.kind === 'queue' ? null : admission;
}

interface InForce extends ReturnType<typeof rulesOf> {
  readonly validated: ValidationResults;
}

interface Candidate {
  readonly repository: Pick<RepositoryRow, 'defaultBranch'>;
  readonly queue: Pick<QueueRow, 'baseBranch'>;
  readonly pullRequest: AdmissionRow;
  readonly seen: Seen;
}

function decideWith(inForce: InForce, candidate: Candidate): Admission {
  return decideAdmission(admissionRequest(inForce, candidate));
}

/** The input of `decideAdmission` for one pull request, under the rules in force. */
export function admissionRequest(
  { configuration, rules, validated }: InForce,
  { repository, queue, pullRequest, seen }: Candidate,
): AdmissionRequest {
  const base = isInStack(configuration, pullRequest) ? queue.baseBranch : pullRequest.baseBranch;
  return {
    facts: {
      ...pullRequest,
      ...seen,
      isBaseBranchManaged: isManagedBranch(configuration, base, repository.defaultBranch),
      isHeadUnseen: pullRequest.headUnseen,
      labels: pullRequest.labels.filter((label) => !hasLabel(pullRequest.queueLabels, label)),
      // Commits count as unverified until their signatures are examined.
      hasUnverifiedCommits: pullRequest.verifiedHead !== pullRequest.headSha || pullRequest.unverifiedCommits !== 0,
      failedValidations: [
        ...(validated.get(pullRequest.id) ?? pullRequest.failedValidations),
        ...contradictionOf(configuration, pullRequest),
      ],
    },
    rules: admissionRules(configuration, rules),
    skipValidation: pullRequest.skipValidation,
  };
}

function contradictionOf(configuration: Configuration, { labels }: AdmissionRow): readonly string[] {
  const contradiction = strategyContradiction(labels, configuration.merge_rules.merge_strategy);
  return contradiction === null ? [] : [contradiction];
}

function admissionRules(
  configuration: Configuration,
  rules: QueueRules,
): Parameters<typeof decideAdmission>[0]['rules'] {
  const { preconditions, merge_mode, labels } = configuration.merge_rules;
  return {
    mode: rules.mode,
    numberOfApprovals: numberOfApprovals(configuration),
    preconditions,
    checkMergeabilityToQueue: merge_mode.parallel_mode.check_mergeability_to_queue,
    blockingLabels: [blockedLabel(labels)].filter((label) => label !== ''),
  };
}

/** Writes the decision: the pull request is in line, pending, or blocked with a reason. */
export function writeAdmission(work: QueueWork, pullRequest: PullRequestRow, admission: Admission): void {
  switch (admission.kind) {
    case 'queue':
      writeStatus(work, pullRequest, 'queue');
      announce(work, pullRequest, 'queued');
      break;
    case 'pend':
      writeStatus(work, pullRequest, 'pend', { code: admission.code, text: admission.text, actor: admission.who });
      break;
    case 'block':
      blockPullRequest(work, pullRequest, {
        code: admission.code,
        text: admission.text,
        actor: admission.who,
        failedChecks: admission.code === 107 ? admission.names : [],
      });
      break;
    default:
      admission satisfies never;
  }
}

interface Reconsidered {
  /** The queued and tagged pull requests after all decisions. */
  readonly line: readonly LineRow[];
  readonly heads: HeadBuilds;
  /** Whether the status of a pull request was changed. */
  readonly hasChanged: boolean;
}

/**
 * Decides again about all pull requests that are pending or in line, at every turn of the queue, because facts may have
 * changed. A pending pull request may now enter the line, and a precondition of a pull request in line may no longer
 * hold. `first` is the line as read under the queue's lock.
 */
export async function reconsider(work: QueueWork, repository: RepositoryRow, first: LineRead): Promise<Reconsidered> {
  const { ctx, tx, queue } = work;
  const readAgain = async (): Promise<WantedRows> => {
    await tx.em.flush();
    return await readWrittenLine(ctx, tx, queue);
  };
  let { wanted } = first;
  let hasChanged = false;
  // A pull request that is stacked on an admitted one may now enter the line too.
  for (let change: Change | null = 'admitted'; change === 'admitted'; ) {
    change = await reconsiderPending(work, repository, wanted.pending);
    if (change === null) continue;
    hasChanged = true;
    wanted = await readAgain();
  }
  if (await reconsiderInLine(work, repository, wanted.line)) {
    hasChanged = true;
    wanted = await readAgain();
  }
  const heads = hasChanged ? await withEntered(work, first.heads, { before: first.wanted, now: wanted }) : first.heads;
  return { line: wanted.line, heads, hasChanged };
}

/** Adds the builds of those heads that were not in line in `before` and are in line in `now`. */
async function withEntered(
  { ctx, tx, queue }: QueueWork,
  heads: HeadBuilds,
  { before, now }: { readonly before: WantedRows; readonly now: WantedRows },
): Promise<HeadBuilds> {
  if (heads === null) return null;
  const known = new Set(before.line.map(({ headSha }) => headSha));
  const commits = now.line.flatMap(({ headSha }) => (known.has(headSha) ? [] : [headSha]));
  const entered = await loadBuilds(ctx, tx, { repositoryId: queue.repositoryId, commits, trees: [] });
  return new Map([...heads, ...entered.map((build) => [build.commit, build] as const)]);
}

type Change = 'admitted' | 'other';

/** `admitted`: pull requests stacked on the admitted ones may now enter the line too. Null: nothing has changed. */
async function reconsiderPending(
  work: QueueWork,
  repository: RepositoryRow,
  pending: readonly LineRow[],
): Promise<Change | null> {
  const { ctx, tx, queue } = work;
  if (pending.length === 0) return null;
  const admissions = await decideAll(ctx, tx, { line: { repository, queue }, pullRequests: pending });
  const changed = new Map<string, Admission>();
  for (const [index, admission] of admissions.entries()) {
    const before = pending[index];
    const isUnchanged = admission.kind === 'pend' && admission.text === before?.statusText;
    if (before !== undefined && !isUnchanged) changed.set(before.id, admission);
  }
  const rows = await loadInOrder(tx, [...changed.keys()]);
  for (const row of rows) {
    const admission = changed.get(row.id);
    if (admission !== undefined) writeAdmission(work, row, admission);
  }
  if (changed.size === 0) return null;
  const hasLetIn = [...changed.values()].some((admission) => admission.kind === 'queue');
  return hasLetIn && pending.some((row) => row.belowId !== null) ? 'admitted' : 'other';
}

async function loadInOrder(tx: Transaction, ids: readonly string[]): Promise<PullRequestRow[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await tx.em.find(PullRequestEntity, { id: { $in: [...ids] } })).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/**
 * Blocks the pull requests in line whose preconditions no longer hold, except those that are landing. An obstacle
 * without a code, such as a head that the host does not show yet, blocks none. Returns whether preconditions of any
 * pull request no longer hold.
 */
async function reconsiderInLine(
  work: QueueWork,
  repository: RepositoryRow,
  line: readonly LineRow[],
): Promise<boolean> {
  const { ctx, tx, queue } = work;
  const lost = await findLosses(ctx, tx, { line: { repository, queue }, pullRequests: line });
  if (lost.length === 0) return false;
  const landing = await readLandingMembers(ctx, tx, queue.id);
  const losses = new Map(lost.map(({ pullRequest, loss }) => [pullRequest.id, loss]));
  for (const row of await loadInOrder(
    tx,
    [...losses.keys()].filter((id) => !landing.has(id)),
  )) {
    const loss = losses.get(row.id);
    if (loss !== undefined && loss.code !== null)
      blockPullRequest(work, row, { code: loss.code, text: loss.text, actor: loss.who });
  }
  return true;
}
