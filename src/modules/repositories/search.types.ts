import { Field, ObjectType } from 'type-graphql';
import type { Repository } from './repositories.types.ts';

@ObjectType({
  description:
    'What a text finds, by kind. What is found has each word of the text. A list is null if the caller lacks its scope.',
})
export class Search {
  @Field(() => String, { description: 'The text that was searched for.' })
  text!: string;

  /** The repositories that are searched: the named one, or all that the caller may see. */
  repositories!: readonly Repository[];

  words!: readonly string[];

  /** At most this many of a kind. */
  first!: number;
}
