// Computes the points of a query. They are the number of requests that its connections need, divided by a hundred, and
// at least one.
import { Kind, type DocumentNode, type FieldNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';

export interface Cost {
  readonly points: number;
  readonly nodes: number;
}

type Variables = Readonly<Record<string, unknown>>;

export function costOf(document: DocumentNode, variables: Variables): Cost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  let requests = 0;
  let nodes = 0;
  const walk = (set: SelectionSetNode | undefined, parents: number): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet, parents);
      else if (selection.kind === Kind.FRAGMENT_SPREAD)
        walk(fragments.get(selection.name.value)?.selectionSet, parents);
      else {
        const size = pageSizeOf(selection, variables);
        if (size !== null) {
          requests += parents;
          nodes += parents * size;
        }
        walk(selection.selectionSet, parents * (size ?? 1));
      }
    }
  };
  for (const each of document.definitions) if (each.kind === Kind.OPERATION_DEFINITION) walk(each.selectionSet, 1);
  return { points: Math.max(1, Math.round(requests / 100)), nodes };
}

function pageSizeOf(field: FieldNode, variables: Variables): number | null {
  const given = field.arguments?.find(({ name }) => name.value === 'first' || name.value === 'last')?.value;
  if (given?.kind === Kind.INT) return Number(given.value);
  if (given?.kind !== Kind.VARIABLE) return null;
  const value = variables[given.name.value];
  return typeof value === 'number' ? value : null;
}
