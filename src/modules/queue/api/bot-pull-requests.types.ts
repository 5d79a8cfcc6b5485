import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Node } from '../../../graphql/node.ts';
import { DateTime, GitObjectID, URI } from '../../../graphql/scalars.ts';
import { Repository } from '../../repositories/repositories.types.ts';

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A draft pull request made to validate a batch (interface 2.5).',
})
export class BotPullRequest {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => Int, { description: 'Its number on the code host.' })
  number!: number;

  @Field(() => URI, { description: 'Its page on the code host.' })
  githubUrl!: string;

  @Field(() => String, { description: 'The branch it targets.' })
  targetBranch!: string;

  @Field(() => GitObjectID, { description: 'Its head commit, which is validated.' })
  headCommitSha!: string;

  @Field(() => GitObjectID, {
    deprecationReason: 'Use headCommitSha, head_commit_sha in REST.',
    description: 'The same as `headCommitSha`.',
  })
  headBranchOid!: string;

  @Field(() => GitObjectID, {
    description:
      'The commit to which its pull requests were added. It contains the pull requests that are assumed to land first.',
  })
  codemixPreBatchSha!: string;

  @Field(() => Repository, { description: 'The repository it belongs to.' })
  repository!: Repository;

  @Field(() => DateTime, { nullable: true, description: 'When it was closed again. Null while it is open.' })
  closedAt!: Date | null;

  repositoryId!: string;
  batchId!: string;
}
