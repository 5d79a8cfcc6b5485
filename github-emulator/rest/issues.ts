// Pull requests as issues: labels, comments, timeline. The emulator has no other issues.
import { accountOf, hasRole, type Need } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { ApiError, forbidden, notFound, unprocessable } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { findPull, reachPull, reachRepository } from '../http/reach.ts';
import { created, noContent, ok, type RestRequest, type RestRoute, route } from '../http/route.ts';
import type { IssueComment, Label, PullRequest, Repository } from '../model/types.ts';
import { editPull, type PullEdit } from '../pulls/editing.ts';
import { addComment, addLabels, deleteComment, editComment, findLabel, removeLabel } from '../pulls/conversations.ts';
import { isAbout } from '../pulls/timeline.ts';
import { renderComment, renderIssue, renderLabel, renderTimelineItem } from '../render/pulls.ts';

const repo = '/repos/{owner}/{repo}';
const one = `${repo}/issues/{issue_number}`;
// For operations that pull requests and issues share, either permission is enough.
const both = ['issues', 'pull_requests'];
const read: Need = { permission: both, level: 'read' };
const comment: Need = { permission: both, level: 'write', role: 'read' };
const triage: Need = { permission: both, level: 'write', role: 'triage' };

export const issueRoutes: readonly RestRoute[] = [
  route('GET', `${repo}/labels`, async (request) => {
    const repository = reachRepository(request, read);
    const labels = request.core.state.labels.filter((each) => each.repositoryId === repository.id);
    return await answerPage(request, labels, (each) => renderLabel(request.core, repository, each));
  }),
  route('POST', `${repo}/labels`, makeLabel),
  route('GET', `${repo}/labels/{name}`, (request) => {
    const repository = reachRepository(request, read);
    return ok(renderLabel(request.core, repository, mustLabel(request.core, repository, request.params['name'] ?? '')));
  }),
  route('GET', one, (request) => {
    const { repository, pull } = reachPull(request, read);
    return ok(renderIssue(request.core, repository, pull));
  }),
  route('PATCH', one, async (request) => {
    const { repository, pull } = reachPull(request, triage);
    const { state, title, body, labels } = request.body;
    const conversation = { repository, pull, sender: accountOf(request.actor) };
    await editPull(request.core, conversation, pickEdit({ state, title, body }));
    if (Array.isArray(labels)) replaceLabels(request.core, conversation, labels.map(nameOf));
    return ok(renderIssue(request.core, repository, pull));
  }),
  route('GET', `${one}/labels`, async (request) => {
    const { repository, pull } = reachPull(request, read);
    return await answerPage(request, labelsOf(request.core, pull), (each) =>
      renderLabel(request.core, repository, each),
    );
  }),
  route('POST', `${one}/labels`, (request) => {
    const conversation = { ...reachPull(request, triage), sender: accountOf(request.actor) };
    addLabels(request.core, conversation, namesOf(request.body));
    return ok(
      labelsOf(request.core, conversation.pull).map((each) => renderLabel(request.core, conversation.repository, each)),
    );
  }),
  route('PUT', `${one}/labels`, (request) => {
    const conversation = { ...reachPull(request, triage), sender: accountOf(request.actor) };
    replaceLabels(request.core, conversation, namesOf(request.body));
    return ok(
      labelsOf(request.core, conversation.pull).map((each) => renderLabel(request.core, conversation.repository, each)),
    );
  }),
  route('DELETE', `${one}/labels/{name}`, (request) => {
    const conversation = { ...reachPull(request, triage), sender: accountOf(request.actor) };
    const label = findLabel(request.core, conversation.repository, request.params['name'] ?? '');
    if (label === undefined || !conversation.pull.labelIds.includes(label.id))
      throw new ApiError(404, 'Label does not exist');
    removeLabel(request.core, conversation, label);
    return ok(
      labelsOf(request.core, conversation.pull).map((each) => renderLabel(request.core, conversation.repository, each)),
    );
  }),
  route('GET', `${one}/timeline`, listTimeline),
  route('GET', `${one}/events`, listTimeline),
  route('GET', `${one}/comments`, async (request) => {
    const { repository, pull } = reachPull(request, read);
    const comments = commentsSince(request, isAbout(pull));
    return await answerPage(request, comments, (each) => renderComment(request.core, repository, each));
  }),
  route('POST', `${one}/comments`, write, { makesContent: true }),
  route('GET', `${repo}/issues/comments`, async (request) => {
    const repository = reachRepository(request, read);
    const found = commentsSince(request, (each) => each.repositoryId === repository.id);
    const sorting = request.query['sort'] === 'updated' ? 'updatedAt' : 'createdAt';
    const sorted = found.sort((a, b) => a[sorting].localeCompare(b[sorting]) || a.id - b.id);
    const isFalling = request.query['sort'] !== undefined && request.query['direction'] === 'desc';
    return await answerPage(request, isFalling ? sorted.toReversed() : sorted, (each) =>
      renderComment(request.core, repository, each),
    );
  }),
  route('GET', `${repo}/issues/comments/{comment_id}`, (request) => {
    const repository = reachRepository(request, read);
    return ok(renderComment(request.core, repository, mustComment(request, repository).comment));
  }),
  route('PATCH', `${repo}/issues/comments/{comment_id}`, (request) => {
    const repository = reachRepository(request, comment);
    const found = mayChange(request, repository);
    const conversation = { repository, pull: found.pull, sender: accountOf(request.actor) };
    editComment(request.core, conversation, { comment: found.comment, body: String(request.body['body']) });
    return ok(renderComment(request.core, repository, found.comment));
  }),
  route('DELETE', `${repo}/issues/comments/{comment_id}`, (request) => {
    const repository = reachRepository(request, comment);
    const found = mayChange(request, repository);
    const conversation = { repository, pull: found.pull, sender: accountOf(request.actor) };
    deleteComment(request.core, conversation, found.comment);
    return noContent;
  }),
];

function makeLabel(request: RestRequest) {
  const repository = reachRepository(request, { permission: both, level: 'write' });
  const { core, body } = request;
  const name = String(body['name']);
  if (findLabel(core, repository, name) !== undefined)
    throw unprocessable({ resource: 'Label', code: 'already_exists', field: 'name' });
  const label = core.state.labels.insert({
    repositoryId: repository.id,
    name,
    color: typeof body['color'] === 'string' ? body['color'] : 'ededed',
    description: typeof body['description'] === 'string' ? body['description'] : null,
  });
  return created(renderLabel(core, repository, label));
}

function write(request: RestRequest) {
  const { repository, pull } = reachPull(request, comment);
  const { core, actor, body } = request;
  if (pull.isLocked && !hasRole(core, actor, { repository, role: 'write' }))
    throw forbidden('This conversation is locked.');
  const conversation = { repository, pull, sender: accountOf(actor) };
  const appId = actor.kind === 'installation' ? actor.app.id : null;
  return created(
    renderComment(core, repository, addComment(core, conversation, { body: String(body['body']), appId })),
  );
}

async function listTimeline(request: RestRequest) {
  const { repository, pull } = reachPull(request, read);
  const items = request.core.state.timeline.filter(isAbout(pull));
  return await answerPage(request, items, (each) => renderTimelineItem(request.core, repository, each));
}

/** The comments that were changed at the instant `since` or later. */
function commentsSince({ core, query }: RestRequest, matches: (comment: IssueComment) => boolean): IssueComment[] {
  const since = query['since'] === undefined ? 0 : Date.parse(query['since']);
  return core.state.comments.filter((each) => matches(each) && Date.parse(each.updatedAt) >= since);
}

function mustComment({ core, params }: RestRequest, repository: Repository) {
  const found = core.state.comments.get(Number(params['comment_id']));
  const pull = found === undefined ? undefined : findPull(core, repository, found.number);
  if (found === undefined || found.repositoryId !== repository.id || pull === undefined) throw notFound();
  return { comment: found, pull };
}

function mayChange(request: RestRequest, repository: Repository): { comment: IssueComment; pull: PullRequest } {
  const found = mustComment(request, repository);
  const { actor, core } = request;
  if (found.comment.authorId === accountOf(actor).id) return found;
  if (actor.kind === 'user' && hasRole(core, actor, { repository, role: 'write' })) return found;
  throw forbidden(
    actor.kind === 'installation' ? 'Resource not accessible by integration' : 'Must have admin rights to Repository.',
  );
}

function mustLabel(core: Core, repository: Repository, name: string): Label {
  const label = findLabel(core, repository, name);
  if (label === undefined) throw notFound();
  return label;
}

function labelsOf(core: Core, pull: PullRequest): Label[] {
  return pull.labelIds.map((id) => core.state.labels.must(id));
}

function replaceLabels(core: Core, conversation: Parameters<typeof addLabels>[1], names: readonly string[]): void {
  const kept = new Set(names.map((name) => name.toLowerCase()));
  for (const label of labelsOf(core, conversation.pull))
    if (!kept.has(label.name.toLowerCase())) removeLabel(core, conversation, label);
  addLabels(core, conversation, names);
}

function namesOf(body: unknown): string[] {
  const labels = Array.isArray(body) ? body : ((body as { labels?: unknown[] }).labels ?? []);
  return labels.map(nameOf);
}

function nameOf(label: unknown): string {
  return typeof label === 'string' ? label : String((label as { name?: unknown }).name);
}

function pickEdit(given: Record<string, unknown>): PullEdit {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
