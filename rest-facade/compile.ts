// Compiles the documents into operations, once at the start. The error about a fault in a document names the file.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  GraphQLError,
  Source,
  TypeInfo,
  concatAST,
  extendSchema,
  getDirectiveValues,
  isAbstractType,
  isLeafType,
  Kind,
  parse,
  separateOperations,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { errorCodes } from '../src/domain/errors.ts';
import { type DocumentSource, loadDirectives } from './documents.ts';
import { type Input, inputsOf } from './inputs.ts';
import {
  type HeaderField,
  type ObjectShape,
  type ResultPath,
  type Shape,
  followResult,
  headerFields,
  shapeOfSelection,
} from './shape.ts';

/**
 * The form of the bodies of errors. `ERROR` is `{error}` with the sentence. `ERROR_AND_MESSAGE` is `{error, message}`
 * with the lower-case code and the sentence.
 */
export type ErrorBody = 'ERROR' | 'ERROR_AND_MESSAGE';

export interface When {
  readonly field: string;
  readonly value: string;
}

export interface Need {
  readonly atLeast: boolean;
  readonly inputs: readonly Input[];
}

export interface Operation {
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly status: number;
  readonly when: When | undefined;
  readonly consumes: string | undefined;
  readonly produces: string | undefined;
  readonly link: boolean;
  readonly bodyLimit: number;
  /** Statuses of errors in addition to the statuses of every operation. */
  readonly errors: readonly number[];
  readonly errorBody: ErrorBody;
  /** The scope that the operation needs. The scope is checked before the `Idempotency-Key` is looked up. */
  readonly scope: string | undefined;
  readonly inputs: readonly Input[];
  readonly needs: readonly Need[];
  readonly root: ObjectShape;
  readonly result: ResultPath;
  readonly headers: readonly HeaderField[];
  /**
   * The document that GraphQL executes. It has no directives of the facade, and `__typename` in unions and interfaces.
   */
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
}

export const totalCountHeader = 'X-Total-Count';
const isTotalCount = ({ name }: HeaderField): boolean => name === totalCountHeader;

const ourDirectives = new Set(['rest', 'in', 'status', 'header', 'unwrap', 'omitNull']);

export function compileFacade({
  schema,
  documents,
}: {
  readonly schema: GraphQLSchema;
  readonly documents: readonly DocumentSource[];
}): Operation[] {
  const withDirectives = extendSchema(schema, parse(loadDirectives()));
  const parsed = documents.map((source) => ({
    name: source.name,
    ast: parse(new Source(source.text, `${source.name}.graphql`)),
  }));
  const all = concatAST(parsed.map(({ ast }) => ast));
  const problems = validate(withDirectives, all);
  if (problems.length > 0) throw new Error(`The REST documents do not fit the schema.\n${problems.join('\n\n')}`);
  const separate = separateOperations(all);
  const schemas = { schema: withDirectives, bare: schema };
  const operations = parsed.flatMap(({ name, ast }) => {
    const nodes = ast.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
    if (nodes.length > 1) throw new Error(`${name}.graphql has ${nodes.length} operations. A file must have one.`);
    return nodes.map((node) =>
      inFile(name, () => compileOperation(schemas, { file: name, node, separate: separate[name] })),
    );
  });
  for (const group of groupByRoute(operations).values()) checkGroup(group);
  return operations;
}

/** Groups operations by `METHOD /path`, in the order of their documents. */
export function groupByRoute(operations: readonly Operation[]): Map<string, readonly Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const route = `${operation.method} ${operation.path}`;
    groups.set(route, [...(groups.get(route) ?? []), operation]);
  }
  return groups;
}

interface Schemas {
  /** The schema with the directives of the facade, for validation. */
  readonly schema: GraphQLSchema;
  /** The schema without these directives, for execution. */
  readonly bare: GraphQLSchema;
}

interface OperationSource {
  readonly file: string;
  readonly node: OperationDefinitionNode;
  /** The document with only this operation and the fragments that it uses. */
  readonly separate: DocumentNode | undefined;
}

function compileOperation({ schema, bare }: Schemas, { file, node, separate }: OperationSource): Operation {
  if (node.name?.value !== file || !separate) throw new GraphQLError(`The operation has to be named ${file}`);
  const rest = restOf(schema, node);
  const fragments = Object.fromEntries(
    separate.definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  const rootType = schema.getRootType(node.operation);
  if (!rootType || node.operation === OperationTypeNode.SUBSCRIPTION)
    throw new GraphQLError(`${node.operation} cannot be a REST operation`);
  const root = shapeOfSelection({ schema, fragments }, rootType, [node.selectionSet]);
  const inputs = inputsOf(schema, node, rest);
  const [summary, ...paragraphs] = (node.description?.value ?? '').split('\n\n');
  if (!summary) throw new GraphQLError('The operation needs a description; its first paragraph is the summary');
  const operation: Operation = {
    ...rest,
    name: file,
    kind: node.operation,
    summary,
    description: paragraphs.join('\n\n') || undefined,
    when: rest.when,
    inputs,
    needs: rest.needs.map((need) => needOf(need, inputs)),
    root,
    result: followResult(root, rest.result),
    headers: headerFields(root),
    document: executable(bare, separate),
    schema: bare,
  };
  checkOperation(operation);
  return operation;
}

type Rest = Pick<
  Operation,
  | 'method'
  | 'path'
  | 'tag'
  | 'status'
  | 'when'
  | 'consumes'
  | 'produces'
  | 'link'
  | 'bodyLimit'
  | 'errors'
  | 'errorBody'
  | 'scope'
> & { readonly result: string | undefined; readonly needs: readonly string[] };

function restOf(schema: GraphQLSchema, node: OperationDefinitionNode): Rest {
  const directive = schema.getDirective('rest');
  const given = directive && getDirectiveValues(directive, node);
  if (!given) throw new GraphQLError('The operation needs @rest', { nodes: node });
  const { when, need, ...rest } = given;
  const [field, value] = typeof when === 'string' ? when.split('=') : [];
  if (typeof when === 'string' && (!field || !value)) throw new GraphQLError(`when: "${when}" is not field=value`);
  // GraphQL has checked the types of the directive's arguments.
  return {
    ...(rest as unknown as Rest),
    needs: (need as string[] | undefined) ?? [],
    when: field && value ? { field, value } : undefined,
  };
}

function needOf(need: string, inputs: readonly Input[]): Need {
  const match = /^1(\+?) of (\S+(?: \S+)+)$/.exec(need);
  if (!match) throw new GraphQLError(`need: "${need}" is neither "1 of a b" nor "1+ of a b"`);
  const named = (match[2] as string).split(' ').map((field) => {
    const input = inputs.find((each) => each.field === field);
    if (!input || input.required) throw new GraphQLError(`need: "${need}" names ${field}, which is no optional input`);
    return input;
  });
  return { atLeast: match[1] === '+', inputs: named };
}

function executable(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const info = new TypeInfo(schema);
  const stripped = visit(document, {
    Directive: (node) => (ourDirectives.has(node.name.value) ? null : undefined),
  });
  return visit(
    stripped,
    visitWithTypeInfo(info, {
      SelectionSet(node) {
        if (!isAbstractType(info.getParentType())) return undefined;
        const typename = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } } as const;
        return { ...node, selections: [typename, ...node.selections] };
      },
    }),
  );
}

function checkOperation(operation: Operation): void {
  const { shape } = operation.result;
  if (operation.produces && !(shape.kind === 'Leaf' && isLeafType(shape.type) && shape.type.name === 'String')) {
    throw new GraphQLError(`produces: "${operation.produces}" needs a result that is a String`);
  }
  const whole = operation.inputs.filter(({ place }) => place.in === 'body' && place.path.length === 0);
  if ((operation.consumes !== undefined) !== (whole.length === 1)) {
    throw new GraphQLError('consumes and one @in(body: "") belong together');
  }
  const unknown = operation.errors.find((status) => !errorStatuses.has(status));
  if (unknown !== undefined)
    throw new GraphQLError(`errors: no code of src/domain/errors.ts has the status ${unknown}`);
  const variables = new Set(operation.inputs.map(({ variable }) => variable));
  if (operation.link && !(variables.has('page') && variables.has('perPage') && operation.headers.some(isTotalCount))) {
    throw new GraphQLError(`link: true needs $page, $perPage and a field with @header(name: "${totalCountHeader}")`);
  }
  const allowed = shape.kind === 'Choice' ? shape : undefined;
  if (
    choicesBelow(operation.root).some((choice) => choice !== allowed && choice.branches.some(({ status }) => status))
  ) {
    throw new GraphQLError('@status is for the fragments of the result itself');
  }
}

const errorStatuses: ReadonlySet<number> = new Set(Object.values(errorCodes));

type Choice = Extract<Shape, { kind: 'Choice' }>;

function choicesBelow(shape: Shape): Choice[] {
  switch (shape.kind) {
    case 'Leaf':
      return [];
    case 'List':
      return choicesBelow(shape.of);
    case 'Lifted':
      return choicesBelow(shape.child.shape);
    case 'Object':
      return shape.fields.flatMap((field) => choicesBelow(field.shape));
    case 'Choice':
      return [shape, ...shape.branches.flatMap((branch) => choicesBelow(branch.shape))];
  }
}

function checkGroup(group: readonly Operation[]): void {
  const [first] = group;
  if (!first || group.length === 1) return;
  const where = `${first.method} ${first.path}`;
  const values = group.map(({ when }) => when?.value);
  if (group.some(({ when }) => !when || when.field !== first.when?.field) || new Set(values).size < group.length) {
    throw new Error(`The documents of ${where} need a \`when\` of one field, each with its own value.`);
  }
  if (group.some(({ errorBody }) => errorBody !== first.errorBody))
    throw new Error(`The documents of ${where} need one errorBody.`);
  if (group.some(({ consumes }) => consumes))
    throw new Error(`The documents of ${where} are distinguished by a JSON body.`);
}

function inFile<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Error(`${file}.graphql: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
