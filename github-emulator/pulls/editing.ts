// Edits the title, body, base branch, draft state and state of a pull request.
import type { Core } from '../core.ts';
import { unprocessable } from '../http/errors.ts';
import type { PullRequest } from '../model/types.ts';
import { closePull, reopenPull } from './closing.ts';
import { refreshTestMerge } from './test-merge.ts';
import { checkLength, type Conversation } from './conversations.ts';
import { note } from './timeline.ts';

export interface PullEdit {
  readonly title?: string;
  readonly body?: string | null;
  readonly base?: string;
  readonly state?: 'open' | 'closed';
  readonly maintainerCanModify?: boolean;
}

export async function editPull(core: Core, conversation: Conversation, edit: PullEdit): Promise<void> {
  const { pull, repository, sender } = conversation;
  const changes: Record<string, unknown> = {};
  checkLength(edit.title, { resource: 'PullRequest', field: 'title' });
  checkLength(edit.body, { resource: 'PullRequest', field: 'body' });
  if (edit.base !== undefined && edit.base !== pull.base.ref)
    changes['base'] = await retarget(core, conversation, edit.base);
  if (edit.title !== undefined && edit.title !== pull.title) {
    if (edit.title.trim() === '')
      throw unprocessable({ resource: 'PullRequest', field: 'title', code: 'missing_field' });
    changes['title'] = { from: pull.title };
    note(core, pull, { event: 'renamed', actorId: sender.id, rename: { from: pull.title, to: edit.title } });
    pull.title = edit.title;
  }
  if (edit.body !== undefined && edit.body !== pull.body) {
    changes['body'] = { from: pull.body ?? '' };
    pull.body = edit.body;
  }
  if (edit.maintainerCanModify !== undefined) pull.maintainerCanModify = edit.maintainerCanModify;
  if (Object.keys(changes).length > 0) {
    pull.updatedAt = core.now();
    core.emit({ name: 'pull_request', action: 'edited', repository, pull, sender, details: { changes } });
  }
  if (edit.state === 'closed') closePull(core, conversation);
  if (edit.state === 'open') await reopenPull(core, conversation);
}

async function retarget(core: Core, { pull, repository, sender }: Conversation, base: string): Promise<object> {
  const tip = await core.git.resolve(repository, `refs/heads/${base}`);
  const message = (text: string): Error =>
    unprocessable({ resource: 'PullRequest', field: 'base', code: 'custom', message: text });
  if (tip === null) throw unprocessable({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  if (pull.state === 'closed') throw message('Cannot change the base branch of a closed pull request.');
  const isTwin = (other: PullRequest): boolean =>
    other.repositoryId === repository.id &&
    other.state === 'open' &&
    other.head.repositoryId === pull.head.repositoryId &&
    other.head.ref === pull.head.ref &&
    other.base.ref === base;
  if (core.state.pullRequests.find(isTwin) !== undefined)
    throw message(`A pull request already exists for base branch '${base}' and head branch '${pull.head.ref}'`);
  if (await core.git.isAncestor(repository, pull.head.sha, tip))
    throw message(`There are no new commits between base branch '${base}' and head branch '${pull.head.ref}'`);
  const from = pull.base;
  pull.base = { ref: base, sha: tip };
  note(core, pull, { event: 'base_ref_changed', actorId: sender.id });
  await refreshTestMerge(core, repository, pull);
  return { ref: { from: from.ref }, sha: { from: from.sha } };
}

export function setDraft(core: Core, { pull, repository, sender }: Conversation, isDraft: boolean): void {
  if (pull.isDraft === isDraft) return;
  if (isDraft && !repository.supportsDrafts)
    throw unprocessable('Draft pull requests are not supported in this repository.');
  Object.assign(pull, { isDraft, updatedAt: core.now() });
  note(core, pull, { event: isDraft ? 'convert_to_draft' : 'ready_for_review', actorId: sender.id });
  const action = isDraft ? 'converted_to_draft' : 'ready_for_review';
  core.emit({ name: 'pull_request', action, repository, pull, sender });
}
