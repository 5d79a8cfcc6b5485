// Makes pages of lists, with GitHub's Link header.
import { ok, type RestAnswer, type RestRequest } from './route.ts';

const defaultPageSize = 30;
const largestPageSize = 100;

/**
 * Makes the answer with one page. Only the rows of the page are rendered. `wrap` can put the page into an object with
 * `total_count`.
 */
export async function answerPage<T>(
  request: RestRequest,
  rows: readonly T[],
  render: (row: T) => unknown,
  wrap: (page: unknown[], total: number) => unknown = (page) => page,
): Promise<RestAnswer> {
  const size = Math.min(
    largestPageSize,
    Math.max(1, Number(request.query['per_page'] ?? defaultPageSize) || defaultPageSize),
  );
  const page = Math.max(1, Number(request.query['page'] ?? 1) || 1);
  const last = Math.max(1, Math.ceil(rows.length / size));
  const shown = rows.slice((page - 1) * size, page * size);
  const body = wrap(await Promise.all(shown.map(async (row) => await render(row))), rows.length);
  const link = linkOf(request, page, last);
  return link === '' ? ok(body) : ok(body, { link });
}

/** Wraps a page as `{ total_count, [name]: … }`. */
export function withTotalCount(name: string): (page: unknown[], total: number) => unknown {
  return (page, total) => ({ total_count: total, [name]: page });
}

function linkOf(request: RestRequest, page: number, last: number): string {
  const to = (number: number, rel: string): string => {
    const url = new URL(`${request.core.urls.api}${request.url}`);
    url.searchParams.set('page', String(number));
    return `<${url.href}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [to(page - 1, 'prev')] : []),
    ...(page < last ? [to(page + 1, 'next'), to(last, 'last')] : []),
    ...(page > 1 ? [to(1, 'first')] : []),
  ];
  return links.join(', ');
}
