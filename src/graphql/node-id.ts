// Node ids, which are opaque to clients and contain a type and the id of a row. A node id does not authorise anything:
// every read is under row-level security, so the id of another account's row is treated like an invented id.
export function encodeNodeId(type: string, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** Null: the text is no node id. */
export function decodeNodeId(nodeId: string): { readonly type: string; readonly id: string } | null {
  const match = /^([A-Z][A-Za-z]{1,40}):([1-9]\d{0,17})$/.exec(Buffer.from(nodeId, 'base64url').toString('latin1'));
  const [, type, id] = match ?? [];
  // The same bytes have several forms in Base64. Only the canonical form is accepted.
  return type !== undefined && id !== undefined && encodeNodeId(type, id) === nodeId ? { type, id } : null;
}

/** The id of the row that a node id names. If the node id has another type, 0, which is the id of no row. */
export function rowIdOf(type: string, nodeId: string): string {
  const decoded = decodeNodeId(nodeId);
  return decoded?.type === type ? decoded.id : '0';
}
