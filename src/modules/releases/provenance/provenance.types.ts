import { Field, Int, ObjectType } from 'type-graphql';
import type { Origin } from '../../../domain/releases/origin.ts';
import { DateTime, GitObjectID } from '../../../graphql/scalars.ts';
import type { HostedRepository } from '../../../hosts/port.ts';
import { ReleaseCandidate } from '../candidates.types.ts';
import type { ChangedCommits } from './changelog.ts';

@ObjectType({
  simpleResolvers: true,
  description: 'Something that runs in an environment, by the deployments that succeeded there.',
})
export class EnvironmentPresence {
  @Field(() => DateTime, { description: 'Since when it runs there without a break.' })
  since!: Date;

  environmentId!: string;
  candidateId!: string;
  deploymentId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A commit between two release candidates.' })
export class ReleasedCommit {
  @Field(() => GitObjectID, { description: 'Its id.' })
  commit!: string;

  @Field(() => String, { description: 'Its message.' })
  message!: string;

  @Field(() => String, { description: 'Name of its author.' })
  authorName!: string;

  @Field(() => DateTime, { description: 'When it was written.' })
  authoredAt!: Date;

  /** Null: nothing is known of how it came. */
  origin!: () => Promise<Origin | null>;
}

@ObjectType({ simpleResolvers: true, description: 'The difference between two release candidates, in one direction.' })
export class ChangeSet {
  @Field(() => Int, { description: 'How many commits, 10,000 at most.' })
  commitCount!: number;

  @Field(() => Boolean, { description: 'False: there are more commits than those, older ones.' })
  complete!: boolean;

  changed!: ChangedCommits;
  repositoryId!: string;
  /** What has them all. */
  tip!: string;
}

@ObjectType({ simpleResolvers: true, description: 'How a release candidate differs from another one, as git says.' })
export class Changelog {
  @Field(() => ReleaseCandidate, {
    nullable: true,
    description: 'The candidate it is compared with. Null: none, so its whole history counts as added.',
  })
  since!: ReleaseCandidate | null;

  repository!: HostedRepository;
  /** Commits of both sides. */
  from!: string | null;
  to!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What a rollback of an environment would do now.' })
export class RollbackPreview {
  @Field(() => ReleaseCandidate, { description: 'The candidate that would run there.' })
  releaseCandidate!: ReleaseCandidate;

  running!: ReleaseCandidate | null;
}
