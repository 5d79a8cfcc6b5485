import { Kind, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';

const known = new WeakMap<SelectionSetNode, ReadonlySet<string>>();

/** Whether the selection of a field, fragments included, contains only these fields. */
export function selectsOnly({ fieldNodes, fragments }: GraphQLResolveInfo, fields: ReadonlySet<string>): boolean {
  return fieldNodes.every(
    ({ selectionSet }) =>
      selectionSet === undefined || [...namesIn(selectionSet, fragments)].every((name) => fields.has(name)),
  );
}

// The result is cached by the selection. This is correct because a selection belongs to one document, whose fragments
// do not change.
function namesIn(selections: SelectionSetNode, fragments: GraphQLResolveInfo['fragments']): ReadonlySet<string> {
  const remembered = known.get(selections);
  if (remembered) return remembered;
  const names = new Set<string>();
  for (const selection of selections.selections) {
    if (selection.kind === Kind.FIELD) {
      if (!selection.name.value.startsWith('__')) names.add(selection.name.value);
      continue;
    }
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : fragments[selection.name.value]?.selectionSet;
    if (inner) for (const name of namesIn(inner, fragments)) names.add(name);
  }
  known.set(selections, names);
  return names;
}
