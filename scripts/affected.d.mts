export function listChanged(since?: string, folder?: string): string[];
export function affectedTests(
  changed: readonly string[],
  folder?: string,
): { readonly filters: readonly string[]; readonly related: readonly string[] };
