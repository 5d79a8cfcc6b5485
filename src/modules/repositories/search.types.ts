import { Field, ObjectType } from 'type-graphql';
import type { Repository } from './repositories.types.ts';

@ObjectType({
  description:
    'What a search finds, in a list for each kind. Every result contains all words of the text. A list is null if the caller lacks the scope for it.',
})
export class Search {
  @Field(() => String, { description: 'The text that was searched for.' })
  text!: string;

  /**
   * The searched repositories: the one that the caller named, or the first 50 of the account, as far as the caller may
   * see them.
   */
  repositories!: readonly Repository[];

  words!: readonly string[];

  /** The greatest number of results of each kind. */
  first!: number;
}
