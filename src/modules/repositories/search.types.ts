import { Field, ObjectType } from 'type-graphql';
import type { Repository } from './repositories.types.ts';

@ObjectType({
  description:
    'What a text finds, by kind. What is found has each word of the text. A list is null if the caller lacks its scope.',
})
export class Search {
  @Field(() => String, { description: 'The text that was searched for.' })
  text!: string;

  /** In these it is searched: all that the caller may see, or the one that was named. */
  repositories!: readonly Repository[];

  words!: readonly string[];

  /** At most this many of a kind. */
  first!: number;
}
