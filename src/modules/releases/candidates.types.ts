import { Extensions, Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { CandidateStatus } from '../../domain/releases/release.ts';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime, GitObjectID, ReleaseCandidateVersion } from '../../graphql/scalars.ts';

const candidateStatuses = {
  BUILDING: 'building',
  READY: 'ready',
  FAILED: 'failed',
} as const satisfies Record<Uppercase<CandidateStatus>, CandidateStatus>;
registerEnumType(candidateStatuses, {
  name: 'ReleaseCandidateStatus',
  description: 'Whether a candidate can be deployed.',
  valuesConfig: {
    BUILDING: { description: 'The candidate is being built.' },
    READY: { description: 'The candidate can be deployed.' },
    FAILED: { description: 'The build failed, and the candidate can never be deployed.' },
  },
});

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A version of a release project. It has one or more candidates.',
})
export class Release {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'The version of the candidates, without the suffix `-rc<number>`.' })
  version!: string;

  @Field(() => DateTime, { description: 'When the first candidate was made.' })
  createdAt!: Date;

  projectId!: string;
}

@Extensions({ notFound: 'Release not found' })
@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A version that names a commit for deployment. Version and commit never change (interface 2.11).',
})
export class ReleaseCandidate {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => ReleaseCandidateVersion, {
    description: 'The version of the candidate: `<release version>-rc<number>`.',
  })
  version!: string;

  @Field(() => String, { description: 'The version of the release.' })
  releaseVersion!: string;

  @Field(() => Int, { description: 'The number after `-rc`.' })
  number!: number;

  @Field(() => GitObjectID, { description: 'The commit that is deployed.' })
  commit!: string;

  @Field(() => candidateStatuses, { description: 'Whether the candidate can be deployed.' })
  status!: CandidateStatus;

  @Field(() => String, { nullable: true, description: 'Why the build failed. Null: it did not fail.' })
  errorMessage!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The error of the last call to the provider of the build. Null: the call succeeded, or there was none.',
  })
  lastFailure!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the provider of the build is called again after `lastFailure`. Null: the provider is not called again, or no call failed.',
  })
  nextTryAt!: Date | null;

  @Field(() => String, { description: 'Email address of the user who made the candidate.' })
  actor!: string;

  @Field(() => DateTime, { description: 'When the candidate was made.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the candidate became ready or failed. Null: it is being built.',
  })
  endedAt!: Date | null;

  projectId!: string;
  releaseId!: string;
  repositoryId!: string;
}

export const ReleaseConnection = connectionType(Release, 'Release');
export const ReleaseCandidateConnection = connectionType(ReleaseCandidate, 'ReleaseCandidate');

@InputType({ description: 'A release candidate to create (interface 4.8).' })
export class CreateReleaseInput {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => ReleaseCandidateVersion, {
    description: 'The version of the candidate: `<release version>-rc<number>`.',
  })
  version!: string;

  @Field(() => String, { description: 'The repository of the project, as `<owner>/<name>`.' })
  repository!: string;

  @Field(() => String, { description: 'The full id of the commit.' })
  commit!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: the build of the project is started. Otherwise the candidate is ready at once.',
  })
  triggerBuildWorkflow?: boolean | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createRelease`.' })
export class CreateReleasePayload {
  @Field(() => ReleaseCandidate, {
    description: 'The new candidate, or the existing candidate with this version and commit.',
  })
  releaseCandidate!: ReleaseCandidate;
}
