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
    BUILDING: { description: 'It is being built.' },
    READY: { description: 'It can be deployed.' },
    FAILED: { description: 'Its build failed, and it can never be deployed.' },
  },
});

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A version of a release project, which has one or more candidates.',
})
export class Release {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'Its version: the version of its candidates without the suffix `-rc<number>`.' })
  version!: string;

  @Field(() => DateTime, { description: 'When its first candidate was made.' })
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

  @Field(() => ReleaseCandidateVersion, { description: 'Its version: `<release version>-rc<number>`.' })
  version!: string;

  @Field(() => String, { description: 'The version of its release.' })
  releaseVersion!: string;

  @Field(() => Int, { description: 'The number after `-rc`.' })
  number!: number;

  @Field(() => GitObjectID, { description: 'The commit that is deployed.' })
  commit!: string;

  @Field(() => candidateStatuses, { description: 'Whether it can be deployed.' })
  status!: CandidateStatus;

  @Field(() => String, { nullable: true, description: 'Why its build failed. Null: it did not fail.' })
  errorMessage!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The error of the last call to the provider of its build. Null: the call succeeded.',
  })
  lastFailure!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When that provider is called again after `lastFailure`. Null: it is not called again, or no call failed.',
  })
  nextTryAt!: Date | null;

  @Field(() => String, { description: 'Email address of the user who made it.' })
  actor!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it became ready or failed. Null while it is being built.',
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

  @Field(() => ReleaseCandidateVersion, { description: 'Its version: `<release version>-rc<number>`.' })
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
