// Searches pull requests by the qualifiers that command-line tools use. An unknown qualifier is an error, because a
// search without the qualifier would find too much.
import { findAccount, findRepository } from '../http/reach.ts';
import type { PullRequest } from '../model/types.ts';
import { connect } from './connection.ts';
import { stateOfPull } from './repository.ts';
import { sees, type ViewContext } from './view-context.ts';

interface SearchArguments {
  readonly query: string;
  readonly type: string;
}

export function search(context: ViewContext, given: SearchArguments): object {
  const { core } = context;
  const { state } = core;
  const qualifiers = [...given.query.matchAll(/(-?)(?:([\w-]+):)?("[^"]*"|\S+)/g)].map(
    ([, not = '', name = '', value = '']) => ({ isNot: not === '-', name, value: value.replaceAll('"', '') }),
  );
  const rows = given.type === 'ISSUE' || given.type === 'ISSUE_ADVANCED' ? state.pullRequests.all() : [];
  const found = rows
    .filter((pull) => sees(context, state.repositories.must(pull.repositoryId)))
    .filter((pull) => qualifiers.every(({ isNot, name, value }) => matches(context, pull, { name, value }) !== isNot))
    .toReversed();
  const view = (pull: PullRequest) => context.views.pull(state.repositories.must(pull.repositoryId), pull);
  return { ...connect('search', given, found, view), issueCount: found.length };
}

function matches(context: ViewContext, pull: PullRequest, { name, value }: { name: string; value: string }): boolean {
  const { core, actor } = context;
  const { state } = core;
  const person = (): number | undefined =>
    value === '@me' && 'account' in actor ? actor.account.id : findAccount(core, value)?.id;
  switch (name) {
    case '':
      return `${pull.title} ${pull.body ?? ''}`.toLowerCase().includes(value.toLowerCase());
    case 'repo': {
      const [owner = '', repo = ''] = value.split('/');
      return findRepository(core, owner, repo)?.id === pull.repositoryId;
    }
    case 'is':
    case 'type':
    case 'state':
      if (value === 'pr') return true;
      if (value === 'closed') return pull.state === 'closed';
      return value === 'draft' ? pull.isDraft : stateOfPull(pull).toLowerCase() === value;
    case 'draft':
      return pull.isDraft === (value === 'true');
    case 'label':
      return pull.labelIds.some((id) => state.labels.must(id).name.toLowerCase() === value.toLowerCase());
    case 'author':
      return pull.authorId === person();
    case 'assignee':
      return pull.assigneeIds.some((id) => id === person());
    case 'review-requested':
      return pull.requestedReviewerIds.some((id) => id === person());
    case 'head':
      return pull.head.ref === value;
    case 'base':
      return pull.base.ref === value;
    default:
      throw new Error(`The emulator does not search by ${name}.`);
  }
}
