// Comments and review threads of people on pull requests of the local host.
import { HostRefused, type CodeHost, type HostRepository, type LocalHostFeatures } from '../port.ts';
import * as rows from './conversations.rows.ts';
import type { Installation } from './installation.ts';
import { findPullRequest } from './pull-requests.rows.ts';

export function conversationOperations(installation: Installation) {
  const { db } = installation;
  const requirePullRequest = async (repository: HostRepository, number: number): Promise<void> => {
    if ((await findPullRequest(db, repository, number)) === null)
      throw new HostRefused(`There is no pull request #${number}`);
  };
  return {
    addComment: async (repository, number, comment) => {
      await requirePullRequest(repository, number);
      const added = await rows.insertComment(db, repository, { number, ...comment, at: installation.clock() });
      installation.emit({ kind: 'comment', repository, number });
      return asComment(added);
    },
    // The local host has no permissions of its own: the scopes of tokens and the roles of users decide what is allowed.
    readPermission: async () => await Promise.resolve('admin' as const),
    listCommentsAfter: async (repository, { cursor, since }) => {
      const found = await rows.findCommentsAfter(db, repository, {
        sequence: cursor ?? '0',
        since: new Date(since),
      });
      return {
        comments: found.map(asComment),
        cursor: found.at(-1)?.sequence ?? cursor ?? '0',
        hasMore: found.length === rows.maxComments,
      };
    },
    listThreads: async (repository, number) => (await rows.findThreads(db, repository, number)).map(asThread),
    openThread: async (repository, number, thread) => {
      await requirePullRequest(repository, number);
      const opened = await rows.insertThread(db, repository, { number, ...thread, at: installation.clock() });
      installation.emit({ kind: 'pull_request', repository, number });
      return asThread(opened);
    },
    resolveThread: async (repository, number, { thread, by, resolved }) => {
      const row = await rows.markThread(db, repository, { number, thread, by, resolved, at: installation.clock() });
      if (row !== null) installation.emit({ kind: 'pull_request', repository, number });
      return row === null ? null : asThread(row);
    },
  } satisfies Partial<CodeHost & LocalHostFeatures>;
}

// `mayWrite` is always true, because only users with a token that may queue can comment at the local host.
function asComment(row: rows.UserCommentRow) {
  const { number, author, body } = row;
  return { id: row.sequence, number, author, authorId: null, mayWrite: true, body, at: row.created_at.getTime() };
}

function asThread(row: rows.ThreadRow) {
  const { id, author, body } = row;
  return { id, author, body, openedAt: row.opened_at.getTime(), resolvedAt: row.resolved_at?.getTime() ?? null };
}
