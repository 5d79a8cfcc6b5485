// Reviews, their comments, and requested reviewers.
import { accountOf } from '../auth/actor.ts';
import { notFound, unprocessable } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { findAccount, reachPull } from '../http/reach.ts';
import { created, ok, type RestRequest, type RestRoute, route } from '../http/route.ts';
import type { Review } from '../model/types.ts';
import { dismissReview, type NewReview, openThread, requestReviewers, submitReview } from '../pulls/conversations.ts';
import { isAbout, note } from '../pulls/timeline.ts';
import { renderPull, renderReview, renderReviewComment } from '../render/pulls.ts';

const one = '/repos/{owner}/{repo}/pulls/{pull_number}';
const read = { permission: 'pull_requests', level: 'read' } as const;
const review = { permission: 'pull_requests', level: 'write', role: 'read' } as const;
const write = { permission: 'pull_requests', level: 'write' } as const;

const stateOf = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

export const reviewRoutes: readonly RestRoute[] = [
  route('GET', `${one}/reviews`, async (request) => {
    const { repository, pull } = reachPull(request, read);
    const reviews = request.core.state.reviews.filter(isAbout(pull));
    return await answerPage(request, reviews, (each) => renderReview(request.core, repository, each));
  }),
  route('POST', `${one}/reviews`, submit, { makesContent: true }),
  route('GET', `${one}/reviews/{review_id}`, (request) => {
    const { repository } = reachPull(request, read);
    return ok(renderReview(request.core, repository, reachReview(request)));
  }),
  route('PUT', `${one}/reviews/{review_id}/dismissals`, (request) => {
    const { repository, pull } = reachPull(request, write);
    const found = reachReview(request);
    dismissReview(request.core, { repository, pull, sender: accountOf(request.actor) }, found);
    return ok(renderReview(request.core, repository, found));
  }),
  route('GET', `${one}/comments`, async (request) => {
    const { repository, pull } = reachPull(request, read);
    const comments = request.core.state.reviewComments.filter(isAbout(pull));
    return await answerPage(request, comments, (each) => renderReviewComment(request.core, repository, each));
  }),
  route('POST', `${one}/comments`, comment, { makesContent: true }),
  route('POST', `${one}/requested_reviewers`, (request) => {
    const { repository, pull } = reachPull(request, write);
    const { core } = request;
    const people = logins(request).map((login) => {
      const account = findAccount(core, login);
      if (account !== undefined) return account;
      throw unprocessable('Reviews may only be requested from collaborators.');
    });
    requestReviewers(core, { repository, pull, sender: accountOf(request.actor) }, people);
    return created(renderPull(core, repository, pull));
  }),
  route('DELETE', `${one}/requested_reviewers`, (request) => {
    const { repository, pull } = reachPull(request, write);
    const { core } = request;
    const sender = accountOf(request.actor);
    for (const login of logins(request)) {
      const id = findAccount(core, login)?.id;
      if (id === undefined || !pull.requestedReviewerIds.includes(id)) continue;
      pull.requestedReviewerIds = pull.requestedReviewerIds.filter((each) => each !== id);
      note(core, pull, { event: 'review_request_removed', actorId: sender.id, subjectId: id });
    }
    return ok(renderPull(core, repository, pull));
  }),
];

function logins({ body }: RestRequest): string[] {
  return (body['reviewers'] as string[] | undefined) ?? [];
}

function reachReview(request: RestRequest): Review {
  const { pull } = reachPull(request, read);
  const found = request.core.state.reviews.get(Number(request.params['review_id']));
  if (found === undefined || !isAbout(pull)(found)) throw notFound();
  return found;
}

interface SentComment {
  readonly path: string;
  readonly body: string;
  readonly line?: number;
  readonly side?: 'LEFT' | 'RIGHT';
}

function submit(request: RestRequest) {
  const { repository, pull } = reachPull(request, review);
  const { core, body } = request;
  const event = body['event'] as keyof typeof stateOf | undefined;
  const text = typeof body['body'] === 'string' ? body['body'] : '';
  const comments = (body['comments'] as SentComment[] | undefined) ?? [];
  if ((event === 'REQUEST_CHANGES' || event === 'COMMENT') && text === '' && comments.length === 0)
    throw unprocessable('Could not submit the review: the body is empty.');
  const given: NewReview = {
    state: event === undefined ? 'PENDING' : stateOf[event],
    body: text,
    ...(typeof body['commit_id'] === 'string' ? { commitId: body['commit_id'] } : {}),
    comments: comments.map(({ path, body, line, side }) => ({ path, body, line: line ?? null, side: side ?? 'RIGHT' })),
  };
  const made = submitReview(core, { repository, pull, sender: accountOf(request.actor) }, given);
  return ok(renderReview(core, repository, made));
}

function comment(request: RestRequest) {
  const { repository, pull } = reachPull(request, review);
  const { core, body } = request;
  const conversation = { repository, pull, sender: accountOf(request.actor) };
  const { path, line, side } = body as unknown as SentComment;
  const made = submitReview(core, conversation, { state: 'COMMENTED', body: '' });
  const thread = { path, body: String(body['body']), line: line ?? null, side: side ?? 'RIGHT' } as const;
  return created(
    renderReviewComment(core, repository, openThread(core, conversation, { review: made, given: thread })),
  );
}
