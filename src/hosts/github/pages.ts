// Reads lists of GitHub to their end. A page has at most a hundred rows, and a list of one page takes one request.

/** A page of a GraphQL list. `pageInfo.endCursor` is null if the page is empty. */
export interface Connection<Row> {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

export const pageSize = 100;

/** Reads all pages of a list of REST. */
export async function readPages<Row>(readPage: (page: number) => Promise<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const read = await readPage(page);
    rows.push(...read);
    if (read.length < pageSize) return rows;
  }
}

/** The list after its next page was read. If the list has no next page any more, `next` is null or empty. */
export function joinPages<Row>(before: Connection<Row>, next: Connection<Row> | null): Connection<Row> {
  return {
    nodes: [...before.nodes, ...(next?.nodes ?? [])],
    pageInfo: {
      hasNextPage: next?.pageInfo.hasNextPage ?? false,
      endCursor: next?.pageInfo.endCursor ?? before.pageInfo.endCursor,
    },
  };
}

/** Reads a list of GraphQL. A page is null if what the list belongs to does not exist. */
export async function readList<Row>(
  readPage: (after: string | null) => Promise<Connection<Row> | null>,
): Promise<readonly Row[]> {
  const first = await readPage(null);
  return first === null ? [] : (await readToEnd(first, readPage)).nodes;
}

/** Reads the rest of a list whose first page is known. `mayRead` is asked before each further page. */
export async function readToEnd<Row>(
  first: Connection<Row>,
  readPage: (after: string | null) => Promise<Connection<Row> | null>,
  mayRead: () => boolean = () => true,
): Promise<Connection<Row>> {
  let read = first;
  while (read.pageInfo.hasNextPage && mayRead()) read = joinPages(read, await readPage(read.pageInfo.endCursor));
  return read;
}
