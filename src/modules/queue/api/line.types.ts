import { Field, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../../graphql/connection.ts';
import { PullRequest } from './pull-requests.types.ts';

@ObjectType({ simpleResolvers: true, description: 'A pull request in line.' })
export class QueueEntry {
  @Field(() => Int, { description: 'Its place in line, counted from 1.' })
  position!: number;

  @Field(() => PullRequest, { description: 'The pull request.' })
  pullRequest!: PullRequest;

  rank!: number;
  /** The instant as of which the line was read. Null: now. */
  asOf!: Date | null;
}

export const QueueEntryConnection = connectionType(QueueEntry, 'QueueEntry', true);
