// Finds keys that a mapping of a YAML document has twice. The option `uniqueKeys` of the parser compares every pair of
// keys, which takes seconds for a long mapping.
import { isMap, isPair, isScalar, isSeq, type Document, type Node } from 'yaml';

/** Every occurrence of a key after its first, in the order of the text. The document must have no errors. */
export function duplicateKeys(document: Document.Parsed): readonly Node[] {
  const found: Node[] = [];
  // No recursion, because a document may be nested deeply.
  const unread: unknown[] = [document.contents];
  while (unread.length > 0) {
    const node = unread.pop();
    if (isPair(node)) unread.push(node.key, node.value);
    else if (isSeq(node)) for (const member of node.items) unread.push(member);
    else if (isMap(node)) {
      const values = new Set<unknown>();
      for (const pair of node.items) {
        unread.push(pair);
        if (!isScalar(pair.key)) continue;
        if (values.has(pair.key.value)) found.push(pair.key);
        values.add(pair.key.value);
      }
    }
  }
  return found.sort((a, b) => (a.range?.[0] ?? 0) - (b.range?.[0] ?? 0));
}
