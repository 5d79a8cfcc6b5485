import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { ChangeByEvent, FollowArgs } from '../../graphql/subscriptions.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';
import { Runbook } from './runbooks.types.ts';

@ArgsType()
export class FollowRunbooksArgs extends FollowArgs {
  @Field(() => Int, { nullable: true, description: 'A runbook.' })
  number?: number | null;

  @Field(() => RepositoryInput, { nullable: true, description: 'All of a repository, in its place.' })
  repository?: RepositoryInput | null;
}

@ObjectType({ simpleResolvers: true, description: 'A runbook changed.' })
export class RunbookChange extends ChangeByEvent {
  @Field(() => Runbook, { description: 'The runbook as it is now.' })
  runbook!: Runbook;

  @Field(() => String, {
    description:
      'What came to its log since the change of it that this subscription told before, or since the subscription began. Some of it where that is long: `runbookLog` leaves nothing out.',
  })
  log!: string;

  /** Number of the leaf that changed. */
  stepNumber!: string | null;
}
