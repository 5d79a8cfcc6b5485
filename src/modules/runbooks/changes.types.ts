import { Field, ObjectType } from 'type-graphql';
import { Runbook } from './runbooks.types.ts';

@ObjectType({ simpleResolvers: true, description: 'A runbook changed.' })
export class RunbookChange {
  @Field(() => String, { description: 'Resume `after` it.' })
  cursor!: string;

  @Field(() => String, { description: 'What happened, as in `Event.action`.' })
  action!: string;

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
