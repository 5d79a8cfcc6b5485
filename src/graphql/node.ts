import 'reflect-metadata';
import { Field, ID, InterfaceType } from 'type-graphql';

@InterfaceType({
  description: 'Anything that can be fetched again by its id.',
  resolveType: (value: { __typename: string }) => value.__typename,
})
export abstract class Node {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;
}
