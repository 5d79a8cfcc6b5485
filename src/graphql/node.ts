import 'reflect-metadata';
import { Field, ID, InterfaceType } from 'type-graphql';

@InterfaceType({
  description: 'An object that can be fetched by its id.',
  resolveType: (value: { __typename: string }) => value.__typename,
})
export abstract class Node {
  @Field(() => ID, { description: 'Opaque id of the object, unique within the account.' })
  id!: string;
}
