import type { Operation } from './compile.ts';

export interface LinkedPage {
  /** The path and the query of the request. */
  readonly url: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly total: number;
}

/** Makes the links to the first, the neighbouring and the last pages (RFC 8288). */
export function linkHeader(operation: Operation, { url, variables, total }: LinkedPage): string {
  const page = numberOf(operation, 'page', variables);
  const last = Math.max(1, Math.ceil(total / numberOf(operation, 'perPage', variables)));
  const pages = { first: 1, prev: page - 1, next: page + 1, last };
  return Object.entries(pages)
    .filter(([, number]) => number >= 1 && number <= last)
    .map(([rel, number]) => `<${withPage(url, number)}>; rel="${rel}"`)
    .join(', ');
}

function numberOf(operation: Operation, name: string, variables: Readonly<Record<string, unknown>>): number {
  const input = operation.inputs.find(({ variable }) => variable === name);
  return Number(variables[name] ?? input?.defaultValue ?? 1);
}

function withPage(url: string, page: number): string {
  const [path, query] = url.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('page', String(page));
  return `${path}?${parameters.toString()}`;
}
