// Resolvers that are called directly get the same values as from type-graphql.
import 'reflect-metadata';
import { execute, parse, type GraphQLSchema, type GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  buildSchemaSync,
  Ctx,
  Field,
  FieldResolver,
  Info,
  InputType,
  Int,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { expect, it } from 'vitest';
import { callResolversDirectly } from '../../src/graphql/direct-resolvers.ts';
import { DateTime } from '../../src/graphql/scalars.ts';

const colours = { RED: 'red', BLUE: 'blue' } as const;
registerEnumType(colours, { name: 'Colour' });

@InputType()
class BoxInput {
  @Field(() => Int)
  size!: number;
}

@ObjectType({ simpleResolvers: true })
class Box {
  @Field(() => String)
  text!: string;
}

@Resolver(() => Box)
class BoxResolver {
  @Query(() => Box)
  plain(
    @Arg('colours', () => [colours]) wanted: string[],
    @Ctx() ctx: { readonly user: string },
    @Arg('at', () => DateTime, { nullable: true }) at: Date | null,
    @Arg('number', () => Int, { defaultValue: 3 }) number: number,
    @Info() info: GraphQLResolveInfo,
  ): Box {
    return { text: JSON.stringify([wanted, ctx.user, at, at instanceof Date, number, info.fieldName]) };
  }

  @Query(() => Box)
  withInput(@Arg('box', () => BoxInput) box: BoxInput): Box {
    return { text: `${box instanceof BoxInput} ${box.size}` };
  }

  @FieldResolver(() => String, { nullable: true })
  async again(@Root() box: Box, @Arg('times', () => Int) times: number): Promise<string> {
    if (times > 9) throw new Error('too often');
    return box.text.repeat(times);
  }
}

const answerOf = (schema: GraphQLSchema): unknown =>
  execute({
    schema,
    contextValue: { user: 'ada' },
    document: parse(`{
      plain(colours: [BLUE, RED], at: "2026-01-02T03:04:05Z") { text again(times: 2) tooOften: again(times: 10) }
      withInput(box: {size: 4}) { text again(times: 1) }
    }`),
  });

it('a resolver whose arguments are scalars or enums is called directly, and gets the same values', async () => {
  const schemas = [0, 1].map(() => buildSchemaSync({ resolvers: [BoxResolver], validate: false, skipCheck: true }));
  const [usual, direct] = schemas as [GraphQLSchema, GraphQLSchema];
  const resolversOf = (schema: GraphQLSchema) => [
    schema.getQueryType()?.getFields()['plain']?.resolve,
    schema.getQueryType()?.getFields()['withInput']?.resolve,
  ];
  const before = resolversOf(direct);
  callResolversDirectly(direct);
  expect(resolversOf(direct).map((resolve, at) => resolve === before[at])).toEqual([false, true]);
  const answer = JSON.parse(JSON.stringify(await answerOf(direct))) as { readonly data: object | null };
  expect(answer).toEqual(JSON.parse(JSON.stringify(await answerOf(usual))));
  expect(answer).toMatchObject({ errors: [{ message: 'too often' }] });
  expect(JSON.stringify(answer)).not.toContain('false');
});
