import { Arg, Ctx, Extensions, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { DomainError, notFound } from '../../../domain/errors.ts';
import {
  type Connection,
  idIn,
  instantIn,
  PageArgs,
  type PageRequest,
  readPage,
  toConnection,
} from '../../../graphql/connection.ts';
import { loadIfAny, loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { ReleaseCandidateVersion } from '../../../graphql/scalars.ts';
import type { HostedRepository } from '../../../hosts/port.ts';
import { batchById, pullRequestById } from '../../queue/index.ts';
import { Batch } from '../../queue/api/batches.types.ts';
import { PullRequest, PullRequestConnection } from '../../queue/api/pull-requests.types.ts';
import { candidateById, findCandidate } from '../candidates.reads.ts';
import { ReleaseCandidate } from '../candidates.types.ts';
import { readRollback } from '../deployments.history.ts';
import { Deployment } from '../deployments.types.ts';
import { Environment } from '../environments.types.ts';
import { loadExisting, repositoryOfRelease } from '../projects.reads.ts';
import { ReleaseProject } from '../projects.types.ts';
import {
  findPreviousCandidate,
  findUnreleased,
  readChangedCommits,
  readOrigins,
  readPullRequestsOfCommits,
  type Range,
} from './changelog.ts';
import { Changelog, ChangeSet, EnvironmentPresence, ReleasedCommit, RollbackPreview } from './provenance.types.ts';
import {
  countPullRequestsOf,
  readPresenceOfCandidate,
  readPullRequestsOf,
  runningCandidateOf,
} from './provenance.reads.ts';

const pageSize = 20;
const shownCommits = 100;
const maxShown = 1000;

@Resolver(() => ReleaseCandidate)
export class CandidateProvenanceResolver {
  @FieldResolver(() => Changelog, { description: 'How this candidate differs from another candidate of its project.' })
  async changelog(
    @Ctx() ctx: GraphQLContext,
    @Root() candidate: ReleaseCandidate,
    @Arg('since', () => ReleaseCandidateVersion, {
      nullable: true,
      description:
        'The version of the other candidate, which may also be newer. Default: the candidate that was created before this one.',
    })
    since: string | null | undefined,
  ): Promise<Changelog> {
    return await changelogOf(ctx, candidate, await otherOf(ctx, candidate, since ?? null));
  }

  @FieldResolver(() => PullRequestConnection, {
    description:
      'All pull requests that the candidate contains, the last merged first. Only pull requests of base branches with a queue are found. Needs queue:read as well.',
  })
  async pullRequests(
    @Ctx() ctx: GraphQLContext,
    @Root() candidate: ReleaseCandidate,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<PullRequest>> {
    const { size, after } = readPage(request, { size: pageSize, keyLength: 2 });
    const repository = await hostedRepository(ctx, candidate);
    const before = after && { mergedAt: instantIn(after, 0), id: idIn(after, 1) };
    const rows = await readPullRequestsOf(ctx, { id: candidate.id, repository }, { size, before });
    const found = new Map(
      (
        await loadExisting(
          loaderOf(ctx, pullRequestById),
          rows.map(({ id }) => id),
        )
      ).map((row) => [row.id, row]),
    );
    return toConnection(rows, size, {
      node: ({ id }) => found.get(id) as PullRequest,
      key: ({ id, mergedAt }) => [mergedAt.toISOString(), id],
      totalCount: async () => await countPullRequestsOf(ctx, { id: candidate.id, repository }),
    });
  }

  @FieldResolver(() => [EnvironmentPresence], {
    description: 'The environments that the candidate runs in, and since when.',
  })
  async environments(@Ctx() ctx: GraphQLContext, @Root() candidate: ReleaseCandidate): Promise<EnvironmentPresence[]> {
    return await readPresenceOfCandidate(ctx, candidate);
  }
}

@Resolver(() => ReleaseProject)
export class ProjectUnreleasedResolver {
  @Extensions({ price: 3_000 })
  @FieldResolver(() => ChangeSet, {
    nullable: true,
    description:
      'The commits of the default branch that the newest candidate does not contain. If there is no candidate, all commits of the default branch. Null: the tip of the branch is not known, because nothing was ever queued for it.',
  })
  async unreleased(
    @Ctx() ctx: GraphQLContext,
    @Root() { id: projectId, repositoryId }: ReleaseProject,
  ): Promise<ChangeSet | null> {
    const { id, owner, name, host, defaultBranch } = await loaderOf(ctx, repositoryOfRelease).load(repositoryId);
    const range = await findUnreleased(ctx, projectId, { id, defaultBranch: await defaultBranch });
    const repository = { accountId: ctx.accountId, id, owner, name, host };
    return range && (await changeSet(ctx, { repository, ...range }));
  }
}

@Resolver(() => Changelog)
export class ChangelogResolver {
  @FieldResolver(() => ChangeSet, { description: 'Commits and pull requests that only this candidate contains.' })
  async added(@Ctx() ctx: GraphQLContext, @Root() { repository, from, to }: Changelog): Promise<ChangeSet> {
    return await changeSet(ctx, { repository, from, to });
  }

  @FieldResolver(() => ChangeSet, {
    description:
      'Commits and pull requests that only the other candidate contains. A deployment of this candidate in the place of the other candidate would remove them.',
  })
  async removed(@Ctx() ctx: GraphQLContext, @Root() { repository, from, to }: Changelog): Promise<ChangeSet> {
    return from === null
      ? toChangeSet({ repository, from, to }, { commits: [], isComplete: true })
      : await changeSet(ctx, { repository, from: to, to: from });
  }
}

@Resolver(() => ChangeSet)
export class ChangeSetResolver {
  @FieldResolver(() => [ReleasedCommit], { description: 'The commits, newest first.' })
  commits(
    @Ctx() ctx: GraphQLContext,
    @Root() { changed, repositoryId, tip }: ChangeSet,
    @Arg('first', () => Int, {
      defaultValue: shownCommits,
      description: 'The number of commits to list, at most 1,000.',
    })
    first: number,
  ): ReleasedCommit[] {
    if (first < 1 || first > maxShown)
      throw new DomainError('BAD_INPUT', `first must be between 1 and ${maxShown}`, 'first');
    let reading: ReturnType<typeof readOrigins> | undefined;
    const origins = async (): ReturnType<typeof readOrigins> =>
      await (reading ??= readOrigins(ctx, { repositoryId, tip, commits: changed.commits }));
    return changed.commits.slice(0, first).map((each) => ({
      ...each,
      authoredAt: new Date(each.authoredAt),
      origin: async () => (await origins()).get(each.commit) ?? null,
    }));
  }

  @FieldResolver(() => [PullRequest], {
    description:
      'Pull requests of this repository whose merge made these commits, the last merged first. Needs queue:read as well.',
  })
  async pullRequests(@Ctx() ctx: GraphQLContext, @Root() { changed, repositoryId }: ChangeSet): Promise<PullRequest[]> {
    const ids = await readPullRequestsOfCommits(ctx, repositoryId, changed.commits);
    return await loadExisting(loaderOf(ctx, pullRequestById), ids);
  }
}

@Resolver(() => ReleasedCommit)
export class ReleasedCommitResolver {
  @FieldResolver(() => [PullRequest], {
    description:
      'The pull requests with which the commit was merged, by the queue or otherwise. Empty: no such pull request is known. Needs queue:read as well.',
  })
  async pullRequests(@Ctx() ctx: GraphQLContext, @Root() { origin }: ReleasedCommit): Promise<PullRequest[]> {
    return await loadExisting(loaderOf(ctx, pullRequestById), (await origin())?.pullRequestIds ?? []);
  }

  @FieldResolver(() => Batch, {
    nullable: true,
    description:
      'The batch that the commit landed with. The batch has the proof. Null: the queue did not land the commit, and `withoutProof` says how it was merged. Needs queue:read as well.',
  })
  async landedBatch(@Ctx() ctx: GraphQLContext, @Root() { origin }: ReleasedCommit): Promise<Batch | null> {
    return await loadIfAny(ctx, batchById, (await origin())?.batchId ?? null);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Why the commit has no proof: it was pushed, or its pull request was merged without the queue. Null: the commit has a proof, which belongs to `landedBatch`. Needs queue:read as well.',
  })
  async withoutProof(@Root() { origin }: ReleasedCommit): Promise<string | null> {
    const known = await origin();
    return known === null
      ? 'It is not known how the commit was merged, because there are too many commits after it.'
      : known.withoutProof;
  }
}

@Resolver(() => Environment)
export class EnvironmentProvenanceResolver {
  @Extensions({ price: 60, once: 700 })
  @FieldResolver(() => EnvironmentPresence, {
    nullable: true,
    description:
      'The candidate that runs in the environment: the candidate of the newest successful deployment. Null: no deployment has succeeded yet.',
  })
  async running(@Ctx() ctx: GraphQLContext, @Root() { id }: Environment): Promise<EnvironmentPresence | null> {
    return await loaderOf(ctx, runningCandidateOf).load(id);
  }

  @Extensions({ price: 1_500 })
  @FieldResolver(() => RollbackPreview, {
    nullable: true,
    description: 'What a rollback would do now. Null: there is no earlier candidate to roll back to.',
  })
  async rollback(@Ctx() ctx: GraphQLContext, @Root() { id }: Environment): Promise<RollbackPreview | null> {
    const target = await readRollback(ctx, id);
    if (target === null) return null;
    const running = await loaderOf(ctx, runningCandidateOf).load(id);
    const load = async (candidateId: string | undefined): Promise<ReleaseCandidate | null> =>
      candidateId === undefined ? null : await loaderOf(ctx, candidateById).load(candidateId);
    const releaseCandidate = await load(target.candidateId);
    return releaseCandidate && { releaseCandidate, running: await load(running?.candidateId) };
  }
}

@Resolver(() => RollbackPreview)
export class RollbackPreviewResolver {
  @FieldResolver(() => Changelog, {
    description: 'How the candidate of the rollback differs from the candidate that runs now.',
  })
  async changelog(
    @Ctx() ctx: GraphQLContext,
    @Root() { releaseCandidate, running }: RollbackPreview,
  ): Promise<Changelog> {
    return await changelogOf(ctx, releaseCandidate, running ?? releaseCandidate);
  }
}

@Resolver(() => Deployment)
export class DeploymentProvenanceResolver {
  @FieldResolver(() => Changelog, {
    description: 'How the deployed candidate differs from the candidate that ran in the environment before.',
  })
  async changelog(@Ctx() ctx: GraphQLContext, @Root() row: Deployment): Promise<Changelog> {
    const candidates = loaderOf(ctx, candidateById);
    const [candidate, before] = await Promise.all([
      candidates.load(row.candidateId),
      row.fromCandidateId === null ? null : candidates.load(row.fromCandidateId),
    ]);
    if (candidate === null) throw notFound('Release');
    return await changelogOf(ctx, candidate, before);
  }
}

async function otherOf(
  ctx: GraphQLContext,
  candidate: ReleaseCandidate,
  since: string | null,
): Promise<ReleaseCandidate | null> {
  if (since === null) {
    const previous = await findPreviousCandidate(ctx, candidate);
    return await loadIfAny(ctx, candidateById, previous);
  }
  const other = await findCandidate(ctx, candidate.projectId, since);
  if (other === null) throw notFound('Release');
  return other;
}

async function changelogOf(
  ctx: GraphQLContext,
  candidate: ReleaseCandidate,
  since: ReleaseCandidate | null,
): Promise<Changelog> {
  const repository = await hostedRepository(ctx, candidate);
  return { since, repository, from: since?.commit ?? null, to: candidate.commit };
}

async function hostedRepository(ctx: GraphQLContext, { repositoryId }: ReleaseCandidate): Promise<HostedRepository> {
  const { id, owner, name, host } = await loaderOf(ctx, repositoryOfRelease).load(repositoryId);
  return { accountId: ctx.accountId, id, owner, name, host };
}

async function changeSet(ctx: GraphQLContext, range: Range): Promise<ChangeSet> {
  return toChangeSet(range, await readChangedCommits(ctx, range));
}

function toChangeSet({ repository, to }: Range, changed: ChangeSet['changed']): ChangeSet {
  return {
    repositoryId: repository.id,
    tip: to,
    changed,
    commitCount: changed.commits.length,
    complete: changed.isComplete,
  };
}
