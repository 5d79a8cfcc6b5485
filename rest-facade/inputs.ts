// Finds the place of each variable of a document in a request.
import {
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
  GraphQLError,
  TypeInfo,
  getDirectiveValues,
  getNamedType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  Kind,
  print,
  typeFromAST,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { snakeCase } from './names.ts';

export type Place =
  | { readonly in: 'path'; readonly name: string }
  /** `path` has two names if the parameter belongs to an object: `repository.org`. */
  | { readonly in: 'query'; readonly path: readonly string[]; readonly or: readonly string[] }
  /** If `path` is empty, the value is the whole body as text. */
  | { readonly in: 'body'; readonly path: readonly string[] };

export interface Input {
  readonly variable: string;
  readonly type: GraphQLInputType;
  readonly required: boolean;
  readonly defaultValue: unknown;
  readonly place: Place;
  /** The dotted name in error messages. */
  readonly field: string;
  readonly only: boolean;
  /** Limits of a text or a list, for OpenAPI only. The service refuses other values with its own messages. */
  readonly bounds: Bounds;
  readonly description: string | undefined;
}

export interface Bounds {
  readonly pattern?: string;
  readonly maxLength?: number;
  /** The limit of a list. The other limits apply to each of its texts. */
  readonly maxItems?: number;
}

export interface RestPlace {
  readonly method: string;
  readonly path: string;
}

export function inputsOf(schema: GraphQLSchema, operation: OperationDefinitionNode, rest: RestPlace): Input[] {
  const descriptions = describeVariables(schema, operation);
  const inputs = (operation.variableDefinitions ?? []).map((node) => inputOf(schema, node, { rest, descriptions }));
  for (const name of pathNames(rest.path)) {
    const input = inputs.find((each) => each.place.in === 'path' && each.place.name === name);
    if (!input?.required)
      throw new GraphQLError(`{${name}} needs a variable that cannot be null`, { nodes: operation });
  }
  return inputs;
}

export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

function inputOf(
  schema: GraphQLSchema,
  node: VariableDefinitionNode,
  { rest, descriptions }: { readonly rest: RestPlace; readonly descriptions: ReadonlyMap<string, string> },
): Input {
  const variable = node.variable.name.value;
  const type = typeFromAST(schema, node.type);
  if (!isInputType(type))
    throw new GraphQLError(`$${variable} has the unknown type ${print(node.type)}`, { nodes: node });
  const directive = schema.getDirective('in');
  const given = directive ? getDirectiveValues(directive, node) : undefined;
  const place = placeOf(node, { name: snakeCase(variable), rest, given });
  const only = given?.['only'] === true;
  if (only && getNamedType(type).name !== 'Boolean') {
    throw new GraphQLError(`only: true is for Booleans, which $${variable} is not`, { nodes: node });
  }
  return {
    variable,
    type,
    place,
    only,
    bounds: boundsOf(given),
    required: isNonNullType(type) && node.defaultValue === undefined,
    defaultValue: node.defaultValue && valueFromAST(node.defaultValue, type),
    field: place.in === 'path' ? place.name : place.path.join('.') || 'body',
    description: node.description?.value ?? descriptions.get(variable),
  };
}

function boundsOf({ pattern, maxLength, maxItems }: Record<string, unknown> = {}): Bounds {
  return {
    ...(typeof pattern === 'string' && { pattern }),
    ...(typeof maxLength === 'number' && { maxLength }),
    ...(typeof maxItems === 'number' && { maxItems }),
  };
}

function placeOf(
  node: VariableDefinitionNode,
  of: { readonly name: string; readonly rest: RestPlace; readonly given: Record<string, unknown> | undefined },
): Place {
  const { name, rest, given } = of;
  const or = Array.isArray(given?.['or']) ? given['or'].map(String) : [];
  const { body, query } = given ?? {};
  if (typeof body === 'string') {
    if (typeof query === 'string' || or.length > 0) {
      throw new GraphQLError('@in has one place: body, or query with or', { nodes: node });
    }
    return { in: 'body', path: body === '' ? [] : body.split('.') };
  }
  if (typeof query === 'string') {
    const path = query.split('.');
    if (path.length > 2) throw new GraphQLError(`query: "${query}" is nested too deep`, { nodes: node });
    return { in: 'query', path, or };
  }
  if (pathNames(rest.path).includes(name)) return { in: 'path', name };
  return rest.method === 'GET' ? { in: 'query', path: [name], or } : { in: 'body', path: [name] };
}

/** Returns descriptions of variables. A variable has the description of its argument or input field. */
function describeVariables(schema: GraphQLSchema, operation: OperationDefinitionNode): Map<string, string> {
  const descriptions = new Map<string, string>();
  const info = new TypeInfo(schema);
  const describe = (variable: string, description: string | null | undefined): void => {
    if (description && !descriptions.has(variable)) descriptions.set(variable, description);
  };
  visit(
    operation,
    visitWithTypeInfo(info, {
      Argument(node) {
        if (node.value.kind === Kind.VARIABLE) describe(node.value.name.value, info.getArgument()?.description);
      },
      ObjectField(node) {
        const parent = info.getParentInputType();
        if (node.value.kind !== Kind.VARIABLE || !parent) return;
        const named = getNamedType(parent);
        if (isInputObjectType(named)) describe(node.value.name.value, named.getFields()[node.name.value]?.description);
      },
    }),
  );
  return descriptions;
}
