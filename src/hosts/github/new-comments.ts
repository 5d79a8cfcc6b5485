// Reads the new comments of people on pull requests of a repository at GitHub.
import { isPermissionEnough } from '../../domain/accounts/github-people.ts';
import type { CodeHost, HostComment, HostPermission } from '../port.ts';
import type { Api } from './client.ts';
import { parseCursor, readComments, readFrom, type Cursor } from './comment-cursor.ts';
import { plainText } from '../../domain/plain-text.ts';
import { ghost } from './pull-request-facts.ts';
import * as documents from './pull-requests.documents.ts';
import { nameOf } from './pull-requests.ts';

const pageSize = 100;

export async function readNewComments(
  api: Api,
  after: Parameters<CodeHost['listCommentsAfter']>[1],
  permissionOfAuthor: (author: string) => Promise<{ readonly permission: HostPermission | null }>,
): ReturnType<CodeHost['listCommentsAfter']> {
  const from = parseCursor(after.cursor, after.since);
  const { changed, ...progress } = await readChanged(api, from);
  const ofPeople = changed.filter(({ user, html_url }) => user?.type !== 'Bot' && html_url.includes('/pull/'));
  const { fresh, cursor } = readComments(from, ofPeople, progress);
  const rewritten = await findRewritten(
    api,
    fresh.filter(({ created_at, updated_at }) => updated_at !== created_at).map(({ node_id }) => node_id),
  );
  const comments: HostComment[] = [];
  for (const { id, user, body = '', html_url, created_at, node_id } of fresh) {
    if (rewritten.has(node_id)) continue;
    const author = user?.login ?? ghost;
    comments.push({
      id: String(id),
      number: Number(/\/pull\/(\d+)/.exec(html_url)?.[1]),
      author,
      authorId: user?.type === 'User' ? String(user.id) : null,
      mayWrite: isPermissionEnough((await permissionOfAuthor(author)).permission, 'write'),
      body: plainText(body),
      at: Date.parse(created_at),
    });
  }
  return { comments, cursor, hasMore: progress.hasMore };
}

/**
 * Reads the comments that were changed since the cursor, up to the first page that moves the cursor. The next page
 * begins at the last change of a page, and not at its number: a comment that is edited meanwhile moves to the end, and
 * another comment would move to the page that was read. Only pages within one second are read by their number.
 */
async function readChanged(api: Api, cursor: Cursor) {
  const changed = new Map<number, Awaited<ReturnType<typeof readPage>>[number]>();
  let [since, page] = [readFrom(cursor), 1];
  for (;;) {
    const read = await readPage(api, { since, page });
    for (const comment of read) changed.set(comment.id, comment);
    const readTo = Math.max(since, ...read.map(({ updated_at }) => Date.parse(updated_at)));
    const hasMore = read.length === pageSize;
    if (!hasMore || readTo > cursor.at) return { changed: [...changed.values()], readTo, hasMore };
    [since, page] = readTo > since ? [readTo, 1] : [since, page + 1];
  }
}

async function readPage(api: Api, { since, page }: { readonly since: number; readonly page: number }) {
  const { data } = await api.request('GET /repos/{owner}/{repo}/issues/comments', {
    ...nameOf(api),
    since: new Date(since).toISOString(),
    sort: 'updated',
    direction: 'asc',
    per_page: pageSize,
    page,
  });
  return data.map((comment) => ({ ...comment, id: Number(comment.id) }));
}

interface EditorsAnswer {
  readonly nodes: readonly ({
    readonly id?: string;
    readonly author?: { readonly login: string } | null;
    readonly editor?: { readonly login: string } | null;
  } | null)[];
}

/**
 * The ids of comments that another person than their author has edited. Their text may not be what the author wrote, so
 * they are not commands of the author.
 */
async function findRewritten(api: Api, edited: readonly string[]): Promise<ReadonlySet<string>> {
  if (edited.length === 0) return new Set();
  const { nodes } = await api.graphql<EditorsAnswer>(documents.readEditors, { ids: edited });
  return new Set(
    nodes.flatMap((node) =>
      node?.id === undefined || !node.editor || node.editor.login === node.author?.login ? [] : [node.id],
    ),
  );
}
