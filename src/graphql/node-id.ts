// Node ids: opaque to clients, a type and a row to the service. They identify and do not authorise: every read goes
// through the account's row-level security, so that another tenant's id is as unknown as an invented one.
export function encodeNodeId(type: string, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** Null: not one of our ids. */
export function decodeNodeId(nodeId: string): { readonly type: string; readonly id: string } | null {
  const match = /^([A-Z][A-Za-z]{1,40}):([1-9]\d{0,17})$/.exec(Buffer.from(nodeId, 'base64url').toString('latin1'));
  const [, type, id] = match ?? [];
  // Base64 has several spellings of the same bytes. Only the canonical one is an id.
  return type !== undefined && id !== undefined && encodeNodeId(type, id) === nodeId ? { type, id } : null;
}

/** The row of an argument. The id of another type names no row: 0 is no row's id. */
export function rowIdOf(type: string, nodeId: string): string {
  const decoded = decodeNodeId(nodeId);
  return decoded?.type === type ? decoded.id : '0';
}
