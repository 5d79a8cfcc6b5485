// Calls resolvers directly. type-graphql calls them through a container, sorts their parameters, and makes a promise for
// each argument and one for all of them, which together takes longer than most resolvers. A resolver whose arguments
// are all scalars or enums needs none of this, because their values are passed on unchanged.
import { isObjectType, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { getMetadataStorage } from 'type-graphql';

type Storage = ReturnType<typeof getMetadataStorage>;
type Parameter = NonNullable<Storage['fieldResolvers'][number]['params']>[number];
type Resolver = Storage['queries'][number] | Storage['fieldResolvers'][number];
type Resolve = GraphQLFieldResolver<unknown, unknown>;
type Read = (...given: Parameters<Resolve>) => unknown;

/** The schema must have been built without authorization, middlewares and validation. */
export function callResolversDirectly(schema: GraphQLSchema): void {
  const { queries, fieldResolvers, objectTypes } = getMetadataStorage();
  const instances = new Map<unknown, object>();
  const typeNames = new Map(objectTypes.map(({ target, name }) => [target, name]));
  const callOf = (resolver: Resolver): Resolve | null => directCall(resolver, instances);
  for (const query of queries) replace(schema, [schema.getQueryType()?.name, query.schemaName], callOf(query));
  for (const resolver of fieldResolvers) {
    const owner = resolver.kind === 'external' ? resolver.getObjectType?.() : undefined;
    replace(schema, [owner && typeNames.get(owner), resolver.schemaName], callOf(resolver));
  }
}

function replace(
  schema: GraphQLSchema,
  [typeName, fieldName]: readonly [string | undefined, string],
  call: Resolve | null,
): void {
  const type = typeName === undefined ? undefined : schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
  if (field?.resolve !== undefined && call !== null) field.resolve = call;
}

/** Null: only type-graphql can call the resolver. */
function directCall({ target, methodName, params = [] }: Resolver, instances: Map<unknown, object>): Resolve | null {
  const reads = params.toSorted((a, b) => a.index - b.index).map(readerOf);
  if (!reads.every((read) => read !== null) || !reads.every((_read, at) => params.some(({ index }) => index === at)))
    return null;
  const instance = instances.get(target) ?? new (target as new () => object)();
  instances.set(target, instance);
  const method = (instance as Record<string, (...values: unknown[]) => unknown>)[methodName];
  if (method === undefined) return null;
  return (root, args, context, info) =>
    method.apply(
      instance,
      reads.map((read) => read(root, args, context, info)),
    );
}

/** Null: only type-graphql can read the parameter. */
function readerOf(parameter: Parameter): Read | null {
  switch (parameter.kind) {
    case 'root':
      return parameter.propertyName === undefined && parameter.getType === undefined ? (root) => root : null;
    case 'context':
      return parameter.propertyName === undefined ? (_root, _args, context) => context : null;
    case 'info':
      return (_root, _args, _context, info) => info;
    case 'arg': {
      const { name } = parameter;
      return isLeaf(parameter.getType()) ? (_root, args) => (args as Record<string, unknown>)[name] : null;
    }
    case 'args':
    case 'custom':
    case 'pubSub':
      return null;
  }
}

const leafClasses: ReadonlySet<unknown> = new Set([String, Boolean, Number, Date]);

/** Whether the type is a scalar or an enum. Input types are classes. */
function isLeaf(type: unknown): boolean {
  return typeof type === 'object' || leafClasses.has(type);
}
