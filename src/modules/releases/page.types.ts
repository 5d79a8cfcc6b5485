import { ArgsType, Field, Int } from 'type-graphql';

@ArgsType()
export class PageArgs {
  @Field(() => Int, { nullable: true, defaultValue: 20, description: 'Size of a page, 20 if not given, at most 100.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Cursor to go on from.' })
  after?: string | null;
}
