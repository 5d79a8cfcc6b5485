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
      "New log text since this subscription's last message, or since the subscription began. Long text is shortened: `runbookLog` has all.",
  })
  log!: string;

  /** Number of the leaf that changed. */
  stepNumber!: string | null;
}
