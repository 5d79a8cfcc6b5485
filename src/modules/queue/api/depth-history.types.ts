import { Field, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../graphql/scalars.ts';

@ObjectType({
  simpleResolvers: true,
  description:
    'The depth, landings and resets of a queue in one interval. All intervals of a request have the same length.',
})
export class QueueDepthPoint {
  @Field(() => DateTime, { description: 'When the interval begins.' })
  at!: Date;

  @Field(() => Int, { description: 'How many pull requests were in line when it began.' })
  queued!: number;

  @Field(() => Int, { description: 'How many batches landed in it.' })
  landings!: number;

  @Field(() => Int, { description: 'How many batches were reset in it.' })
  resets!: number;
}
