// State of a page that the browser's history keeps, so that the page is the same when the user comes back.
import { useLocation, useRouter } from '@tanstack/react-router';

declare module '@tanstack/history' {
  interface HistoryState {
    readonly page?: Readonly<Record<string, unknown>>;
  }
}

/**
 * The cursor of the shown page of a list, and a function that turns to another page. Back leads to the page before.
 * Another filter is another address, and begins with the first page.
 *
 * @param list Names the list. A page may have several lists.
 */
export function useListPage(list: string): readonly [string | null, (after: string | null) => void] {
  const [after, setAfter] = useEntryState<string | null>(list, null, 'push');
  return [after, setAfter];
}

/** Like `useState`, but of the shown entry of the history. `push`: a change adds an entry, to which Back leads. */
export function useEntryState<Value>(
  name: string,
  initial: Value,
  change: 'push' | 'replace' = 'replace',
): readonly [Value, (value: Value) => void] {
  const { history } = useRouter();
  const page = useLocation({ select: ({ state }) => state.page });
  const value = page !== undefined && name in page ? (page[name] as Value) : initial;
  const set = (next: Value): void => {
    const { href, state } = history.location;
    history[change](href, { ...state, page: { ...state.page, [name]: next } });
  };
  return [value, set];
}
