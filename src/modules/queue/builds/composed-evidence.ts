// Judges, by the planner's rule, whether green builds of parts justify a landing. A batch with such builds needs no
// build of its own. The landing gate reads the builds again under its locks. The intent of the landing stores the
// result of the gate, so that the proof does not depend on later changes of rows.
import type { Context } from '../../../context.ts';
import { isComposed } from '../../../domain/queue/evidence/composed-evidence.ts';
import { evidenceFor, isKnownRed, withoutHeads } from '../../../domain/queue/evidence/evidence.ts';
import type { Targets } from '../../../domain/queue/model/overlap.ts';
import type { MergeStrategy, QueueRules } from '../../../domain/queue/model/rules.ts';
import type { BuildState } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { loadAssumedRows, loadMembers } from '../store/batch.members.ts';
import { loadBuilds } from '../facts/builds.loader.ts';
import { lineageOf, loadLandings, readLandings } from '../facts/landings.loader.ts';
import { loadTargetsOf } from '../facts/affected-targets.ts';
import { loadJudgedBuilds, withoutHeadsInLine } from '../facts/judged-builds.ts';
import { BatchEntity, type BatchMemberRow, type BatchRow } from '../store/queue.entities.ts';

/** One of the pull requests that the build of a part contains. */
export interface PartMember {
  readonly pullRequestId: string;
  readonly head: string;
  readonly strategy: MergeStrategy;
  readonly belowHead: string | null;
  readonly joinsNext: boolean;
}

export interface PassedPart {
  readonly base: string;
  readonly content: readonly PartMember[];
  /** A green build that tested the tree of this content on this base commit. */
  readonly build: BuildState;
}

interface Judged {
  readonly batch: BatchRow;
  readonly members: readonly BatchMemberRow[];
  readonly rules: QueueRules;
  readonly tip: string;
}

/**
 * Returns the green builds of the parts if together they prove as much about the members as one build of the whole tree
 * would, and if no build of the whole tree was red. Null: they do not justify the landing.
 */
export async function judgeParts(ctx: Context, tx: Transaction, judged: Judged): Promise<readonly PassedPart[] | null> {
  const { batch, members, rules, tip } = judged;
  const whole = { repositoryId: batch.repositoryId, commits: [], trees: batch.tree ? [batch.tree] : [] };
  const heads = members.map(({ pinnedHead }) => pinnedHead);
  const ofTree = await loadJudgedBuilds(ctx, tx, { wanted: whole, rules });
  const wholes = await withoutHeadsInLine(ctx, tx, { queueId: batch.queueId, builds: ofTree, rules, heads });
  if (isKnownRed(batch.tree ?? '', wholes, rules)) return null;
  const landed = await readLandings(ctx, tx, batch.queueId);
  const parts = await loadParts(ctx, tx, { ...judged, lineage: lineageOf(landed, tip) });
  const landings = await loadLandings(ctx, tx, { landed, tip, since: parts.map(({ base }) => base) });
  const targets = await loadTargetsThatCount(ctx, tx, judged);
  const isJustified = isComposed({
    tip,
    landings,
    members: members.map(({ pullRequestId, pinnedHead }) => ({
      pullRequest: pullRequestId,
      head: pinnedHead,
      targets: targets.get(pullRequestId) ?? null,
    })),
    parts: parts.map(({ base, content }) => ({
      base,
      content: content.map(({ pullRequestId, head }) => ({ pullRequest: pullRequestId, head })),
    })),
  });
  return isJustified ? parts : null;
}

/**
 * The affected targets of the members, by id of the pull request. Empty if the configuration does not use affected
 * targets.
 */
export async function loadTargetsThatCount(
  ctx: Context,
  tx: Transaction,
  { members, rules }: Pick<Judged, 'members' | 'rules'>,
): Promise<ReadonlyMap<string, Targets>> {
  if (!rules.useAffectedTargets) return new Map();
  return await loadTargetsOf(
    ctx,
    tx,
    members.map((member) => member.pullRequestId),
  );
}

/**
 * The parts with green builds. A part is left out if its build was deleted, used other rules or is not green now,
 * because the other parts may suffice.
 */
async function loadParts(
  ctx: Context,
  tx: Transaction,
  judged: Judged & { readonly lineage: readonly string[] },
): Promise<readonly PassedPart[]> {
  const { queueId, repositoryId, restsOn, buildKeysHash } = judged.batch;
  const speculative = await tx.em.find(BatchEntity, {
    queueId,
    sideBuild: 'speculative',
    commit: { $in: [...restsOn] },
    buildKeysHash,
  });
  const ids = speculative.map(({ id }) => id);
  const [assumed, members] = [await loadAssumedRows(tx, ids), await loadMembers(tx, ids)];
  const trees = speculative.flatMap(({ tree }) => tree ?? []);
  // As in the planner, the age of a part's own build counts from its end, so the build is read at any age.
  const commits = speculative.flatMap(({ testedCommit, commit }) => testedCommit ?? commit ?? []);
  const loaded = await loadBuilds(ctx, tx, { repositoryId, commits, trees });
  const builds = await withoutHeadsInLine(ctx, tx, { queueId, builds: loaded, rules: judged.rules, heads: [] });
  const parts: PassedPart[] = [];
  for (const part of speculative) {
    const content = [...(assumed.get(part.id) ?? []), ...(members.get(part.id) ?? [])];
    const heads = content.map(({ pinnedHead }) => pinnedHead);
    const source = { queue: judged, rules: judged.rules, builds: withoutHeads(builds, judged.rules, heads) };
    const build = evidenceFor(part.tree ?? '', source, {
      now: ctx.clock().getTime(),
      preferredCommit: part.testedCommit ?? null,
    });
    if (build === null) continue;
    parts.push({
      base: part.baseCommit,
      build,
      content: content.map(({ pullRequestId, pinnedHead, strategy, belowHead, joinsNext }) => ({
        pullRequestId,
        head: pinnedHead,
        strategy: strategy ?? part.strategy,
        belowHead: belowHead ?? null,
        joinsNext,
      })),
    });
  }
  return parts;
}
