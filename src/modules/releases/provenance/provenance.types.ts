import { Field, Int, ObjectType } from 'type-graphql';
import type { Origin } from '../../../domain/releases/origin.ts';
import { DateTime, GitObjectID } from '../../../graphql/scalars.ts';
import type { HostedRepository } from '../../../hosts/port.ts';
import { ReleaseCandidate } from '../candidates.types.ts';
import type { ChangedCommits } from './changelog.ts';

@ObjectType({
  simpleResolvers: true,
  description:
    'The presence of a pull request or of a release candidate in an environment, derived from successful deployments.',
})
export class EnvironmentPresence {
  @Field(() => DateTime, {
    description: 'Since when the pull request or candidate runs in the environment without a break.',
  })
  since!: Date;

  environmentId!: string;
  candidateId!: string;
  deploymentId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A commit between two release candidates.' })
export class ReleasedCommit {
  @Field(() => GitObjectID, { description: 'The id of the commit.' })
  commit!: string;

  @Field(() => String, { description: 'The message of the commit.' })
  message!: string;

  @Field(() => String, { description: 'Name of the author.' })
  authorName!: string;

  @Field(() => DateTime, { description: 'When the author wrote the commit.' })
  authoredAt!: Date;

  /** Reads how the commit was merged. Null: this is not known. */
  origin!: () => Promise<Origin | null>;
}

@ObjectType({ simpleResolvers: true, description: 'The difference between two release candidates, in one direction.' })
export class ChangeSet {
  @Field(() => Int, { description: 'The number of commits, at most 10,000.' })
  commitCount!: number;

  @Field(() => Boolean, { description: 'False: there are also older commits, which are not listed.' })
  complete!: boolean;

  changed!: ChangedCommits;
  repositoryId!: string;
  /** A commit that contains all commits of the change set. */
  tip!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'How a release candidate differs from another release candidate, read from git.',
})
export class Changelog {
  @Field(() => ReleaseCandidate, {
    nullable: true,
    description:
      'The other candidate. Null: there is no other candidate, so the whole history of this candidate counts as added.',
  })
  since!: ReleaseCandidate | null;

  repository!: HostedRepository;
  /** The commits of the two candidates. `from` is null if there is no other candidate. */
  from!: string | null;
  to!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What a rollback of an environment would do now.' })
export class RollbackPreview {
  @Field(() => ReleaseCandidate, { description: 'The candidate that would run in the environment.' })
  releaseCandidate!: ReleaseCandidate;

  running!: ReleaseCandidate | null;
}
