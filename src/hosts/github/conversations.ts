// Labels and comments at GitHub. Interlock writes comments only in its own name, because people write theirs at GitHub.
import { permissionOf } from '../../domain/accounts/github-people.ts';
import { passFailpoint } from '../../platform/failpoints.ts';
import type { Database } from '../../platform/database.ts';
import type { CodeHost, HostPermission, HostRepository, LabelChange } from '../port.ts';
import { NotFoundAtGitHub } from './answers.ts';
import type { Api, Client } from './client.ts';
import { readNewComments } from './new-comments.ts';
import { writeHostText } from './write-host-text.ts';
import { ghost, type LabelEvent, newestLabelChange } from './pull-request-facts.ts';
import * as documents from './pull-requests.documents.ts';
import { type Connection, readList } from './pages.ts';
import { plainText } from '../../domain/plain-text.ts';
import { nameOf } from './pull-requests.ts';

export interface ConversationSettings {
  readonly client: Client;
  readonly db: Database;
  readonly clock: () => Date;
}

export function conversationOperations(settings: ConversationSettings) {
  const { client, clock } = settings;
  const readPermission = createPermissions(clock);
  return {
    readPermission: async (repository, { login, id, isForLanding = false }) => {
      const api = await client.apiFor(repository, isForLanding ? 'landing' : 'hint');
      const found = await readPermission(api, repository, login);
      return id === null || found.id === id ? found.permission : null;
    },
    setLabel: async (repository, number, { label, present }) => {
      const api = await client.apiFor(repository, 'notification');
      await (present ? addLabel(api, number, label) : removeLabel(api, number, label));
    },
    readLabelChange: async (repository, number, label, options) => {
      const api = await client.apiFor(repository, options?.isForLanding === true ? 'landing' : 'hint');
      return await readNewestLabelChange(api, number, label);
    },
    listCommentsAfter: async (repository, after) => {
      const api = await client.apiFor(repository, 'hint');
      return await readNewComments(api, after, async (author) => await readPermission(api, repository, author));
    },
    listComments: async (repository, number) => {
      const api = await client.apiFor(repository, 'hint');
      return (await readAllComments(api, number)).map(asComment);
    },
    listThreads: async (repository, number) => {
      const api = await client.apiFor(repository, 'hint');
      return (await readAllThreads(api, number)).map(asThread);
    },
    upsertComment: async (repository, number, comment) =>
      await upsertComment(settings, repository, { number, ...comment }),
  } satisfies Partial<CodeHost>;
}

async function addLabel(api: Api, number: number, label: string): Promise<void> {
  await api.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
    ...nameOf(api),
    issue_number: number,
    labels: [label],
  });
}

async function removeLabel(api: Api, number: number, label: string): Promise<void> {
  await api
    .request('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', {
      ...nameOf(api),
      issue_number: number,
      name: label,
    })
    .catch(ignoreAbsent);
}

type WrittenComment = Parameters<CodeHost['upsertComment']>[2] & { readonly number: number };

async function upsertComment(
  { client, db, clock }: ConversationSettings,
  repository: HostRepository,
  { number, key, body, version = 0 }: WrittenComment,
): Promise<void> {
  const api = await client.apiFor(repository, 'notification');
  const marker = markerOf(key);
  const markedBody = `${body}\n\n${marker}`;
  await writeHostText({
    table: 'host_comment',
    repository,
    subject: String(number),
    key,
    db,
    clock,
    version,
    text: body,
    find: async () => await findComment(api, number, marker),
    create: async () => {
      const { data } = await api.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...nameOf(api),
        issue_number: number,
        body: markedBody,
      });
      await passFailpoint('github:after_comment');
      return String(data.id);
    },
    edit: async (id) => {
      await api.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        ...nameOf(api),
        comment_id: Number(id),
        body: markedBody,
      });
    },
  });
}

export function ignoreAbsent(error: unknown): void {
  if (!(error instanceof NotFoundAtGitHub)) throw error;
}

/** An invisible marker in a comment. By the marker, a comment is found if the answer to its creation was lost. */
function markerOf(key: string): string {
  return `<!-- interlock:${encodeURIComponent(key)} -->`;
}

function withoutMarker(body: string): string {
  return body.replace(/\s*<!-- interlock:[^ ]* -->\s*$/, '');
}

async function findComment(api: Api, number: number, marker: string): Promise<string | null> {
  for (let page = 1; ; page += 1) {
    const { data } = await api.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...nameOf(api),
      issue_number: number,
      per_page: 100,
      page,
    });
    const found = data.find(({ body, user }) => user?.login === api.bot && (body ?? '').trimEnd().endsWith(marker));
    if (found !== undefined) return String(found.id);
    if (data.length < 100) return null;
  }
}

interface LabelHistory {
  readonly repository: {
    readonly pullRequest: {
      readonly timelineItems: {
        readonly nodes: readonly LabelEvent[];
        readonly pageInfo: { readonly hasPreviousPage: boolean; readonly startCursor: string | null };
      };
    } | null;
  } | null;
}

/** Each page has the hundred next older changes of labels, and costs a point of GitHub's rate limit. */
const maxLabelPages = 20;

/** The newest change of the label. Null: it is not among the newest 2,000 changes of labels. */
async function readNewestLabelChange(api: Api, number: number, label: string): Promise<LabelChange | null> {
  let before: string | null = null;
  for (let page = 1; page <= maxLabelPages; page += 1) {
    const answer: LabelHistory = await api.graphql<LabelHistory>(documents.readLabelHistory, { number, before });
    const events = answer.repository?.pullRequest?.timelineItems;
    const found = newestLabelChange(events?.nodes ?? [], label, api.bot);
    if (found !== null || !events?.pageInfo.hasPreviousPage) return found;
    before = events.pageInfo.startCursor;
  }
  return null;
}

interface CommentNode {
  readonly body: string;
  readonly createdAt: string;
  readonly lastEditedAt: string | null;
  readonly author: { readonly login: string } | null;
}

interface CommentsAnswer {
  readonly repository: { readonly pullRequest: { readonly comments: Connection<CommentNode> } | null } | null;
}

function asComment({ author, body, createdAt, lastEditedAt }: CommentNode) {
  return {
    author: author?.login ?? ghost,
    body: plainText(withoutMarker(body)),
    createdAt: Date.parse(createdAt),
    editedAt: lastEditedAt === null ? null : Date.parse(lastEditedAt),
  };
}

async function readAllComments(api: Api, number: number): Promise<readonly CommentNode[]> {
  return await readList(async (after) => {
    const answer = await api.graphql<CommentsAnswer>(documents.listComments, { number, after });
    return answer.repository?.pullRequest?.comments ?? null;
  });
}

interface ThreadsAnswer {
  readonly repository: { readonly pullRequest: { readonly reviewThreads: Connection<ThreadNode> } | null } | null;
}

async function readAllThreads(api: Api, number: number): Promise<readonly ThreadNode[]> {
  return await readList(async (after) => {
    const answer = await api.graphql<ThreadsAnswer>(documents.listThreads, { number, after });
    return answer.repository?.pullRequest?.reviewThreads ?? null;
  });
}

interface ThreadNode {
  readonly id: string;
  readonly isResolved: boolean;
  readonly comments: {
    readonly nodes: readonly {
      readonly body: string;
      readonly createdAt: string;
      readonly author: { readonly login: string } | null;
    }[];
  };
}

function asThread({ id, isResolved, comments }: ThreadNode) {
  const [first] = comments.nodes;
  const openedAt = first === undefined ? 0 : Date.parse(first.createdAt);
  return {
    id,
    author: first?.author?.login ?? ghost,
    body: plainText(first?.body ?? ''),
    openedAt,
    // GitHub does not say when a thread was resolved.
    resolvedAt: isResolved ? openedAt : null,
  };
}

const cachedMs = 5 * 60_000;
/** Shorter, so that a person who was just given access does not have to wait. */
const cachedNoneMs = 10_000;
const maxCached = 10_000;

interface FoundPermission {
  readonly permission: HostPermission | null;
  /** GitHub's id of the person. Null: no person has the handle. */
  readonly id: string | null;
}

/** Reads permissions of people, and caches each for five minutes. */
function createPermissions(clock: () => Date) {
  const known = new Map<string, { readonly answer: FoundPermission; readonly until: number }>();
  return async (api: Api, repository: HostRepository, login: string): Promise<FoundPermission> => {
    const key = `${repository.id} ${login}`;
    const now = clock().getTime();
    const kept = known.get(key);
    if (kept !== undefined && kept.until > now) return kept.answer;
    if (known.size >= maxCached) known.delete(known.keys().next().value as string);
    const answer: FoundPermission = await api
      .request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', { ...nameOf(api), username: login })
      .then(({ data }) => ({ permission: permissionOf(data), id: data.user === null ? null : String(data.user.id) }))
      .catch((error: unknown) => {
        ignoreAbsent(error);
        return { permission: null, id: null };
      });
    known.set(key, { answer, until: now + (answer.permission === null ? cachedNoneMs : cachedMs) });
    return answer;
  };
}
