// The price of an introspection query. The schema is in memory and takes no statement, but one document can name its
// types a million times: graphql-js limits the depth of a document and not the repetitions.
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType, type GraphQLSchema } from 'graphql';

/** Whether a type belongs to introspection. */
export function isIntrospection(typeName: string): boolean {
  return typeName.startsWith('__');
}

const known = new WeakMap<GraphQLSchema, Readonly<Record<string, number>>>();

/** The average number of entries of a list over the schema: exact for `types`, an upper estimate for the others. */
export function introspectedRows(schema: GraphQLSchema, fieldName: string): number {
  const rows = known.get(schema) ?? countRows(schema);
  known.set(schema, rows);
  return rows[fieldName] ?? 1;
}

function countRows(schema: GraphQLSchema): Readonly<Record<string, number>> {
  const types = Object.values(schema.getTypeMap());
  const objects = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = objects.flatMap((type) => Object.values(type.getFields()));
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const perType = (counts: readonly number[]): number => sum(counts) / types.length;
  return {
    types: types.length,
    directives: schema.getDirectives().length,
    fields: fields.length / types.length,
    args: sum(fields.map(({ args }) => args.length)) / Math.max(1, fields.length),
    interfaces: perType(objects.map((type) => type.getInterfaces().length)),
    possibleTypes: perType(
      types.map((type) => (isInterfaceType(type) || isUnionType(type) ? schema.getPossibleTypes(type).length : 0)),
    ),
    enumValues: perType(types.filter(isEnumType).map((type) => type.getValues().length)),
    inputFields: perType(types.filter(isInputObjectType).map((type) => Object.keys(type.getFields()).length)),
  };
}
