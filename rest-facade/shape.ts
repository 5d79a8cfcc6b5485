// The shape of a JSON answer, derived from the selection of a GraphQL document. The serialisers (response.ts) and the
// OpenAPI document (openapi/) both use it, so that they cannot differ.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  type SelectionSetNode,
  GraphQLError,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
} from 'graphql';
import { snakeCase } from './names.ts';

export type Shape =
  | { readonly kind: 'Leaf'; readonly nullable: boolean; readonly type: GraphQLScalarType | GraphQLEnumType }
  | { readonly kind: 'List'; readonly nullable: boolean; readonly of: Shape }
  | { readonly kind: 'Lifted'; readonly nullable: boolean; readonly child: FieldShape }
  | ObjectShape
  | { readonly kind: 'Choice'; readonly nullable: boolean; readonly branches: readonly Branch[] };

export interface ObjectShape {
  readonly kind: 'Object';
  readonly nullable: boolean;
  readonly typeName: string;
  /** The shared fragment that is the whole selection. It names the component in the OpenAPI document. */
  readonly fragment: FragmentDefinitionNode | undefined;
  readonly fields: readonly FieldShape[];
}

export interface FieldShape {
  /** The key in the REST answer. */
  readonly key: string;
  /** The key in GraphQL's answer. */
  readonly source: string;
  readonly shape: Shape;
  /**
   * The type that a 404 names if the field is null. It is the field's own type, or for a leaf the type of its parent.
   */
  readonly absentType: string;
  readonly omitNull: boolean;
  readonly header: string | undefined;
  readonly description: string | undefined;
  readonly deprecated: string | undefined;
}

export interface Branch {
  readonly typeName: string;
  readonly status: number | undefined;
  readonly shape: ObjectShape;
}

export interface Selection {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
}

interface Collected {
  readonly nodes: Map<string, FieldNode[]>;
  status: number | undefined;
}

export function shapeOfSelection(
  selection: Selection,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): ObjectShape {
  const { nodes } = collect(selection, type, sets);
  const fields = [...nodes].map(([source, fieldNodes]) => shapeOfField(selection, type, { source, nodes: fieldNodes }));
  const fragment = soleFragment(selection, sets);
  return { kind: 'Object', nullable: false, typeName: type.name, fragment, fields };
}

function shapeOfField(
  selection: Selection,
  parent: GraphQLObjectType,
  { source, nodes }: { readonly source: string; readonly nodes: readonly FieldNode[] },
): FieldShape {
  const node = nodes[0] as FieldNode;
  const definition = parent.getFields()[node.name.value];
  if (!definition) throw new GraphQLError(`${parent.name} has no field ${node.name.value}`, { nodes: node });
  const shape = shapeOfType(selection, definition.type, nodes);
  const named = getNamedType(definition.type);
  return {
    key: snakeCase(source),
    source,
    shape,
    absentType: isLeafType(named) ? parent.name : named.name,
    omitNull: nodes.some((each) => hasDirective(each, 'omitNull')),
    header: headerOf(selection.schema, node),
    description: definition.description ?? undefined,
    deprecated: definition.deprecationReason ?? undefined,
  };
}

function shapeOfType(selection: Selection, type: GraphQLOutputType, nodes: readonly FieldNode[]): Shape {
  if (isNonNullType(type)) return { ...shapeOfType(selection, type.ofType, nodes), nullable: false };
  if (isListType(type)) return { kind: 'List', nullable: true, of: shapeOfType(selection, type.ofType, nodes) };
  if (isLeafType(type)) return { kind: 'Leaf', nullable: true, type };
  const sets = nodes.flatMap((node) => node.selectionSet ?? []);
  if (isAbstractType(type)) return { kind: 'Choice', nullable: true, branches: branchesOf(selection, type.name, sets) };
  const shape = shapeOfSelection(selection, type, sets);
  return nodes.some((node) => hasDirective(node, 'unwrap')) ? lift(shape, nodes) : { ...shape, nullable: true };
}

function lift(shape: ObjectShape, nodes: readonly FieldNode[]): Shape {
  const [child] = shape.fields;
  if (!child || shape.fields.length !== 1 || child.header !== undefined) {
    throw new GraphQLError('@unwrap needs exactly one field inside, and no @header', { nodes });
  }
  return { kind: 'Lifted', nullable: true, child };
}

function branchesOf(selection: Selection, abstractName: string, sets: readonly SelectionSetNode[]): Branch[] {
  const abstract = selection.schema.getType(abstractName);
  if (!isAbstractType(abstract)) throw new GraphQLError(`${abstractName} is no union or interface`);
  return selection.schema.getPossibleTypes(abstract).map((member) => {
    const { nodes, status } = collect(selection, member, sets);
    if (nodes.size === 0) throw new GraphQLError(`${member.name} of ${abstractName} has no fragment`, { nodes: sets });
    return { typeName: member.name, status, shape: shapeOfSelection(selection, member, sets) };
  });
}

function collect(selection: Selection, type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Collected {
  const collected: Collected = { nodes: new Map(), status: undefined };
  for (const set of sets) collectInto(collected, { selection, type, set });
  return collected;
}

interface Collecting {
  readonly selection: Selection;
  readonly type: GraphQLObjectType;
  readonly set: SelectionSetNode;
}

function collectInto(collected: Collected, { selection, type, set }: Collecting): void {
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) {
      const source = node.alias?.value ?? node.name.value;
      if (source === '__typename') continue;
      collected.nodes.set(source, [...(collected.nodes.get(source) ?? []), node]);
      continue;
    }
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? selection.fragments[node.name.value] : node;
    if (!fragment || !applies(selection.schema, fragment.typeCondition?.name.value, type)) continue;
    const directive = selection.schema.getDirective('status');
    const status = directive && getDirectiveValues(directive, node)?.['code'];
    if (typeof status === 'number') collected.status = status;
    collectInto(collected, { selection, type, set: fragment.selectionSet });
  }
}

function applies(schema: GraphQLSchema, condition: string | undefined, type: GraphQLObjectType): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && schema.isSubType(named, type);
}

function soleFragment(selection: Selection, sets: readonly SelectionSetNode[]): FragmentDefinitionNode | undefined {
  const [only, ...others] = sets.flatMap((set) => set.selections);
  return only?.kind === Kind.FRAGMENT_SPREAD && others.length === 0 ? selection.fragments[only.name.value] : undefined;
}

function hasDirective(node: FieldNode, name: string): boolean {
  return node.directives?.some((directive) => directive.name.value === name) ?? false;
}

function headerOf(schema: GraphQLSchema, node: FieldNode): string | undefined {
  const directive = schema.getDirective('header');
  const name = directive && getDirectiveValues(directive, node)?.['name'];
  return typeof name === 'string' ? name : undefined;
}

/** One step of the path from GraphQL's `data` to a value. */
export interface Step {
  readonly source: string;
  readonly nullable: boolean;
  readonly absentType: string;
}

export interface ResultPath {
  readonly steps: readonly Step[];
  readonly shape: Shape;
}

export function stepOf({ source, absentType, shape: { nullable } }: FieldShape): Step {
  return { source, absentType, nullable };
}

function present(field: FieldShape): FieldShape {
  return { ...field, shape: { ...field.shape, nullable: false } };
}

/**
 * Follows the path in `result:` of a document. Without a path the whole selection is the body, and each root field must
 * be present.
 */
export function followResult(root: ObjectShape, result: string | undefined): ResultPath {
  if (result === undefined) return { steps: [], shape: { ...root, fields: root.fields.map(present) } };
  const steps: Step[] = [];
  let shape: Shape = root;
  for (const source of result.split('.')) {
    const field: FieldShape | undefined =
      shape.kind === 'Object' ? shape.fields.find((each) => each.source === source) : undefined;
    if (!field) throw new GraphQLError(`result: ${result} leaves the selection at ${source}`);
    steps.push(stepOf(field));
    shape = field.shape;
  }
  return { steps, shape };
}

export interface HeaderField {
  readonly name: string;
  readonly path: readonly string[];
  readonly shape: Shape;
  readonly description: string | undefined;
}

/**
 * Finds every `@header` of a selection, with its path. Throws if a header is inside a list, because it would have many
 * values.
 */
export function headerFields(root: ObjectShape): HeaderField[] {
  const found: HeaderField[] = [];
  const visit = (shape: Shape, path: readonly string[], inList: boolean): void => {
    if (shape.kind === 'List') visit(shape.of, path, true);
    if (shape.kind === 'Lifted') visit(shape.child.shape, [...path, shape.child.source], inList);
    if (shape.kind === 'Choice') for (const branch of shape.branches) visit(branch.shape, path, inList);
    if (shape.kind !== 'Object') return;
    for (const field of shape.fields) {
      const fieldPath = [...path, field.source];
      if (field.header === undefined) visit(field.shape, fieldPath, inList);
      else if (inList) throw new GraphQLError(`@header(name: "${field.header}") is inside a list`);
      else found.push({ name: field.header, path: fieldPath, shape: field.shape, description: field.description });
    }
  };
  visit(root, [], false);
  return found;
}
