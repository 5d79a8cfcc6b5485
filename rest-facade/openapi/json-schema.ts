// Translates shapes and GraphQL input types to JSON Schema for OpenAPI 3.1.
import {
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { snakeCase } from '../names.ts';
import type { FieldShape, ObjectShape, Shape } from '../shape.ts';
import { enumNames, greatestInteger } from '../values.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

// The JSON Schemas of scalars, because GraphQL does not describe their format. A missing scalar stops the generation.
const scalars: Readonly<Record<string, JsonSchema>> = {
  AffectedTarget: { type: 'string', minLength: 1, maxLength: 1024 },
  Boolean: { type: 'boolean' },
  Date: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
  Float: { type: 'number' },
  GitObjectID: { type: 'string', pattern: '^[0-9a-fA-F]{40}$' },
  Glob: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u0020\\u007f]+$' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  NameWithOwner: { type: 'string', pattern: '^[^/]+/[^/]+$' },
  PageNumber: { type: 'integer', minimum: 1 },
  PageSize: { type: 'integer', minimum: 1, maximum: 100 },
  PullRequestNumber: { type: ['integer', 'string'], minimum: 1, pattern: '^[1-9][0-9]*$' },
  ReleaseCandidateVersion: { type: 'string', maxLength: 200, pattern: '^[^/\\s]+-rc(0|[1-9][0-9]{0,8})$' },
  SecretMap: { type: 'object', additionalProperties: { type: 'string' } },
  String: { type: 'string' },
  TimeZone: { type: 'string' },
  URI: { type: 'string', format: 'uri' },
};

/** The schemas that have a name and can be shared. The first use of a name adds its schema. */
export class Components {
  readonly schemas = new Map<string, JsonSchema>();

  refer(name: string, make: () => JsonSchema): JsonSchema {
    const known = this.schemas.get(name);
    // The name is put into the map first, so that a component comes before the components that it refers to.
    if (!known) this.schemas.set(name, {});
    const made = make();
    if (known && JSON.stringify(known) !== JSON.stringify(made)) throw new Error(`Two schemas are called ${name}`);
    this.schemas.set(name, made);
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** `name` becomes the component's name if the shape is an object without a fragment. */
export function schemaOfShape(shape: Shape, components: Components, name?: string): JsonSchema {
  const schema =
    name !== undefined && shape.kind === 'Object' && !shape.fragment
      ? components.refer(name, () => schemaOfFields(shape.fields, components))
      : schemaOfPresent(shape, components);
  return shape.nullable ? orNull(schema) : schema;
}

function schemaOfPresent(shape: Shape, components: Components): JsonSchema {
  switch (shape.kind) {
    case 'Leaf':
      return schemaOfLeaf(shape.type, components);
    case 'List':
      return { type: 'array', items: schemaOfShape(shape.of, components) };
    case 'Lifted':
      return schemaOfShape(shape.child.shape, components);
    case 'Object':
      return schemaOfObject(shape, components);
    case 'Choice':
      return {
        oneOf: shape.branches.map(({ typeName, shape: branch }) => schemaOfShape(branch, components, typeName)),
      };
  }
}

function schemaOfObject(shape: ObjectShape, components: Components): JsonSchema {
  const { fragment, fields } = shape;
  if (!fragment) return schemaOfFields(fields, components);
  return components.refer(fragment.name.value, () => ({
    ...describedBy(fragment),
    ...schemaOfFields(fields, components),
  }));
}

function describedBy({ description }: FragmentDefinitionNode): JsonSchema {
  return description ? { description: description.value } : {};
}

function schemaOfFields(all: readonly FieldShape[], components: Components): JsonSchema {
  const fields = all.filter(({ header }) => header === undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.key, schemaOfField(field, components)])),
    required: fields.filter(({ omitNull }) => !omitNull).map(({ key }) => key),
  };
}

function schemaOfField({ shape, omitNull, description, deprecated }: FieldShape, components: Components): JsonSchema {
  const schema = omitNull ? schemaOfPresent(shape, components) : schemaOfShape(shape, components);
  return {
    ...documented(schema, [description, deprecated].filter(Boolean).join(' ')),
    ...(deprecated ? { deprecated: true } : {}),
  };
}

export function schemaOfInput(type: GraphQLInputType, components: Components): JsonSchema {
  if (isNonNullType(type)) return schemaOfPresentInput(type.ofType, components);
  return orNull(schemaOfPresentInput(type, components));
}

/** The schema of an input without null, because a query string cannot express null. */
export function schemaOfPresentInput(type: GraphQLInputType, components: Components): JsonSchema {
  if (isNonNullType(type)) return schemaOfPresentInput(type.ofType, components);
  if (isListType(type)) return { type: 'array', items: schemaOfInput(type.ofType, components) };
  if (type.name === 'Int') return { type: 'integer', minimum: -greatestInteger, maximum: greatestInteger };
  if (!isInputObjectType(type)) return schemaOfLeaf(type, components);
  const fields = Object.values(type.getFields());
  const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [
        snakeCase(field.name),
        documented(schemaOfInput(field.type, components), field.description),
      ]),
    ),
    ...(required.length > 0 ? { required: required.map(({ name }) => snakeCase(name)) } : {}),
  };
}

function schemaOfLeaf(type: GraphQLScalarType | GraphQLEnumType, components: Components): JsonSchema {
  if (isEnumType(type)) {
    return components.refer(type.name, () => documented({ type: 'string', enum: enumNames(type) }, type.description));
  }
  const schema = scalars[type.name];
  if (!schema) throw new Error(`The scalar ${type.name} needs its JSON Schema in rest-facade/openapi/json-schema.ts`);
  return schema;
}

export function documented(schema: JsonSchema, description: string | null | undefined): JsonSchema {
  return description ? { description, ...schema } : schema;
}

function orNull(schema: JsonSchema): JsonSchema {
  if ('$ref' in schema || 'oneOf' in schema) return { oneOf: [schema, { type: 'null' }] };
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  return types.includes('null') ? schema : { ...schema, type: [...types, 'null'] };
}
