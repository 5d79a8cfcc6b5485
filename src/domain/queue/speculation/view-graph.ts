// Builds the speculation graph of a line. It is built again whenever a pull request leaves the line.
import { landingsSince } from '../evidence/composed-evidence.ts';
import type { LineView } from '../planning/line.ts';
import { overlapsOf, type LandedChange } from './conflict-graph.ts';
import type { Landing } from '../model/snapshot.ts';
import { judgeByGreens, judgeSpeculativeBuild, keepOldestLate } from './judge-builds.ts';
import type { SpeculativeBuild, SpeculationGraph } from './graph.ts';

export function viewGraph(view: LineView): SpeculationGraph {
  const line = view.inOrder;
  const indexOf = new Map(line.map(({ id }, index) => [id, index]));
  const history = changesUnder(view);
  const overlaps = overlapsOf(view, history.changes);
  const graph: Mutable<SpeculationGraph> = {
    view,
    line,
    indexOf,
    ...overlaps,
    builds: [],
    invalidated: [],
    inconclusive: [],
    isolated: [],
    obsolete: [],
    buildsOf: new Map(),
    landed: history.changes,
    landedAt: new Map(history.changes.map(({ pullRequest }, landedIndex) => [pullRequest, landedIndex])),
    landing: new Set(),
  };
  graph.landing = findLanding(view, indexOf);
  const all = keepOldestLate(
    view.sideBuilds.map((batch) => judgeSpeculativeBuild(graph, batch, history.from.get(batch.base) ?? null)),
  );
  const greens = all.flatMap((each) => ('build' in each && each.build.verdict.kind === 'green' ? [each.build] : []));
  const judged = all.map((each) => judgeByGreens(graph, each, greens));
  graph.builds = judged.flatMap((each) => ('build' in each ? [each.build] : []));
  graph.invalidated = judged.flatMap((each) => ('red' in each && each.isOneOfTwo ? [each.red] : []));
  graph.inconclusive = judged.flatMap((each) => ('red' in each && each.mayBeReordered ? [each.red] : []));
  graph.isolated = judged.flatMap((each) => ('isolated' in each ? [each.isolated] : []));
  graph.obsolete = judged.flatMap((each) => ('batch' in each ? [each] : []));
  graph.buildsOf = indexMembers(graph.builds);
  return graph;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function indexMembers(builds: readonly SpeculativeBuild[]): ReadonlyMap<number, readonly SpeculativeBuild[]> {
  const buildsOf = new Map<number, SpeculativeBuild[]>();
  for (const build of builds)
    for (const index of build.members) {
      const known = buildsOf.get(index);
      if (known === undefined) buildsOf.set(index, [build]);
      else known.push(build);
    }
  return buildsOf;
}

function findLanding(view: LineView, indexOf: ReadonlyMap<string, number>): ReadonlySet<number> {
  const landing = [...view.batches.slice(0, 1), ...view.sideBuilds.filter((batch) => batch.landingPlanned)];
  return new Set(landing.flatMap((batch) => batch.members.flatMap((member) => indexOf.get(member.pullRequest) ?? [])));
}

interface History {
  readonly changes: readonly LandedChange[];
  /**
   * For each base, the index in `changes` of the first change on top of it. A base is missing if not all changes on top
   * of it are known, or if an outside change is among them.
   */
  readonly from: ReadonlyMap<string, number>;
}

/** The changes that landed since the oldest base of a speculative build. */
function changesUnder({ snapshot, sideBuilds }: LineView): History {
  const { queue, landings, rules } = snapshot;
  const bases = [...new Set(sideBuilds.map((batch) => batch.base))];
  const longest = bases
    .flatMap((base) => [landingsSince(base, queue.tip, landings) ?? []])
    .reduce<readonly Landing[]>((long, since) => (since.length > long.length ? since : long), []);
  const own = longest.slice(longest.findLastIndex(({ members }) => members === null) + 1);
  const from = new Map<string, number>();
  const changes: LandedChange[] = [];
  for (const { commit, firstParent, members } of own) {
    from.set(firstParent, changes.length);
    for (const member of members ?? [])
      changes.push({ ...member, targets: rules.useAffectedTargets ? member.targets : null, commit });
  }
  from.set(queue.tip, changes.length);
  return { changes, from };
}
