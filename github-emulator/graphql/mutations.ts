// Mutations: what people's tools and the product change by GraphQL.
import { accountOf, mustHave, type Need } from '../auth/actor.ts';
import { parseNodeId, type NodeKind } from '../model/ids.ts';
import type { PullRequest, Repository } from '../model/types.ts';
import { closePull, reopenPull } from '../pulls/closing.ts';
import { editPull, setDraft } from '../pulls/editing.ts';
import { mergePull, type MergeMethod } from '../pulls/merging.ts';
import { openPull } from '../pulls/opening.ts';
import {
  addComment,
  addLabels,
  editComment,
  deleteComment,
  removeLabel,
  requestReviewers,
  setThreadResolved,
  submitReview,
  type Talk,
} from '../pulls/talking.ts';
import { GraphqlFault } from './fault.ts';
import { viewPull } from './pulls.ts';
import { createRepository, moveRefs } from './repository-mutations.ts';
import type { Sight, View } from './sight.ts';
import { sees } from './sight.ts';
import { viewAccount } from './accounts.ts';
import { viewComment, viewReview, viewThread } from './talk.ts';

type Input = Readonly<Record<string, unknown>>;
type Answer = View | Promise<View>;

const writePulls: Need = { permission: ['pull_requests', 'issues'], level: 'write', role: 'triage' };
const talkAbout: Need = { permission: ['pull_requests', 'issues'], level: 'write', role: 'read' };
const push: Need = { permission: 'contents', level: 'write' };

export function viewMutation(sight: Sight): View {
  const answers: Record<string, (input: Input) => Answer> = {
    ...pullMutations(sight),
    ...talkMutations(sight),
    createRepository: async (input) => await createRepository(sight, input),
    updateRefs: async (input) => await moveRefs(sight, mustRepository(sight, input, push), input),
  };
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      async ({ input }: { input: Input }) => ({
        clientMutationId: input['clientMutationId'] ?? null,
        ...(await answer(input)),
      }),
    ]),
  );
}

function pullMutations(sight: Sight): Record<string, (input: Input) => Answer> {
  const { core, actor } = sight;
  const shown = ({ repository, pull }: Talk): View => ({ pullRequest: viewPull(sight, repository, pull) });
  return {
    createPullRequest: async (input) => {
      const repository = mustRepository(sight, input, { ...talkAbout, permission: 'pull_requests' });
      const fork = sight.core.state.repositories.get(idOf('repositories', input['headRepositoryId']));
      const owner = core.state.accounts.get(fork?.ownerId);
      const head = String(input['headRefName']);
      const pull = await openPull(core, actor, repository, {
        title: String(input['title']),
        body: textOf(input, 'body') ?? '',
        head: owner === undefined || head.includes(':') ? head : `${owner.login}:${head}`,
        base: String(input['baseRefName']),
        isDraft: input['draft'] === true,
        maintainerCanModify: input['maintainerCanModify'] !== false,
      });
      return { pullRequest: viewPull(sight, repository, pull) };
    },
    updatePullRequest: async (input) => {
      const talk = mustTalk(sight, input, 'pullRequestId', writePulls);
      const { title, body, baseRefName: base, state } = input as Partial<Record<string, string>>;
      await editPull(core, talk, {
        ...(title === undefined ? {} : { title }),
        ...(body === undefined ? {} : { body }),
        ...(base === undefined ? {} : { base }),
        ...(state === undefined ? {} : { state: state === 'OPEN' ? 'open' : 'closed' }),
      });
      if (Array.isArray(input['labelIds'])) setLabels(sight, talk, input['labelIds']);
      if (Array.isArray(input['assigneeIds'])) talk.pull.assigneeIds = idsOf('accounts', input['assigneeIds']);
      return shown(talk);
    },
    closePullRequest: (input) => {
      const talk = mustTalk(sight, input, 'pullRequestId', writePulls);
      closePull(core, talk);
      return shown(talk);
    },
    reopenPullRequest: async (input) => {
      const talk = mustTalk(sight, input, 'pullRequestId', writePulls);
      await reopenPull(core, talk);
      return shown(talk);
    },
    convertPullRequestToDraft: (input) => draft(sight, input, true),
    markPullRequestReadyForReview: (input) => draft(sight, input, false),
    mergePullRequest: async (input) => {
      const talk = mustTalk(sight, input, 'pullRequestId', push);
      await mergePull(core, {
        ...talk,
        actor,
        method: (textOf(input, 'mergeMethod') ?? 'MERGE').toLowerCase() as MergeMethod,
        sha: textOf(input, 'expectedHeadOid'),
        title: textOf(input, 'commitHeadline'),
        message: textOf(input, 'commitBody'),
      });
      return { ...shown(talk), actor: viewAccount(sight, talk.sender) };
    },
    addLabelsToLabelable: (input) => {
      const talk = mustTalk(sight, input, 'labelableId', writePulls);
      addLabels(core, talk, namesOf(sight, talk.repository, input['labelIds']));
      return { labelable: viewPull(sight, talk.repository, talk.pull) };
    },
    removeLabelsFromLabelable: (input) => {
      const talk = mustTalk(sight, input, 'labelableId', writePulls);
      for (const id of idsOf('labels', input['labelIds'])) {
        const label = core.state.labels.get(id);
        if (label !== undefined && talk.pull.labelIds.includes(id)) removeLabel(core, talk, label);
      }
      return { labelable: viewPull(sight, talk.repository, talk.pull) };
    },
  };
}

function talkMutations(sight: Sight): Record<string, (input: Input) => Answer> {
  const { core } = sight;
  return {
    addComment: (input) => {
      const talk = mustTalk(sight, input, 'subjectId', talkAbout);
      const { appId } = talk.sender;
      const comment = addComment(core, talk, { body: String(input['body']), appId });
      const node = viewComment(sight, talk, comment);
      return { commentEdge: { cursor: '', node }, subject: viewPull(sight, talk.repository, talk.pull) };
    },
    updateIssueComment: (input) => {
      const { talk, comment } = mustComment(sight, input);
      editComment(core, talk, comment, String(input['body']));
      return { issueComment: viewComment(sight, talk, comment) };
    },
    deleteIssueComment: (input) => {
      const { talk, comment } = mustComment(sight, input);
      deleteComment(core, talk, comment);
      return {};
    },
    addPullRequestReview: (input) => {
      const talk = mustTalk(sight, input, 'pullRequestId', { ...talkAbout, permission: 'pull_requests' });
      const states = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;
      const event = textOf(input, 'event') as keyof typeof states | null;
      const state = event === null ? 'PENDING' : (states[event] ?? 'PENDING');
      const review = submitReview(core, talk, { state, body: textOf(input, 'body') ?? '' });
      const node = viewReview(sight, talk, review);
      return { pullRequestReview: node, reviewEdge: { cursor: '', node } };
    },
    requestReviews: (input) => {
      const talk = mustTalk(sight, input, 'pullRequestId', writePulls);
      const people = idsOf('accounts', input['userIds']).map((id) => core.state.accounts.must(id));
      requestReviewers(core, talk, people);
      return { pullRequest: viewPull(sight, talk.repository, talk.pull) };
    },
    resolveReviewThread: (input) => resolve(sight, input, true),
    unresolveReviewThread: (input) => resolve(sight, input, false),
  };
}

function draft(sight: Sight, input: Input, isDraft: boolean): View {
  const talk = mustTalk(sight, input, 'pullRequestId', writePulls);
  setDraft(sight.core, talk, isDraft);
  return { pullRequest: viewPull(sight, talk.repository, talk.pull) };
}

function resolve(sight: Sight, input: Input, isResolved: boolean): View {
  const thread = sight.core.state.reviewThreads.get(idOf('reviewThreads', input['threadId']));
  const talk = talkAt(sight, thread, { permission: 'pull_requests', level: 'write' });
  if (thread === undefined || talk === null) throw unknownNode(input['threadId']);
  setThreadResolved(sight.core, talk, thread, isResolved);
  return { thread: viewThread(sight, talk, thread) };
}

function setLabels(sight: Sight, talk: Talk, given: unknown): void {
  const { core } = sight;
  const wanted = idsOf('labels', given);
  for (const id of talk.pull.labelIds.filter((each) => !wanted.includes(each)))
    removeLabel(core, talk, core.state.labels.must(id));
  addLabels(core, talk, namesOf(sight, talk.repository, given));
}

function namesOf({ core }: Sight, repository: Repository, given: unknown): string[] {
  return idsOf('labels', given).map((id) => {
    const label = core.state.labels.get(id);
    if (label === undefined || label.repositoryId !== repository.id) throw unknownNode(given);
    return label.name;
  });
}

function mustComment(sight: Sight, input: Input) {
  const comment = sight.core.state.comments.get(idOf('comments', input['id']));
  const talk = talkAt(sight, comment, talkAbout);
  if (comment === undefined || talk === null) throw unknownNode(input['id']);
  return { talk, comment };
}

function mustTalk(sight: Sight, input: Input, name: string, need: Need): Talk {
  const talk = talkAt(sight, sight.core.state.pullRequests.get(idOf('pullRequests', input[name])), need);
  if (talk === null) throw unknownNode(input[name]);
  return talk;
}

/** Null: there is no such row, or the asker does not see its repository. Throws where a permission is missing. */
function talkAt(sight: Sight, row: { repositoryId: number; number: number } | undefined, need: Need): Talk | null {
  const { core, actor } = sight;
  const repository = core.state.repositories.get(row?.repositoryId);
  const pull: PullRequest | undefined = core.state.pullRequests.find(
    (each) => each.repositoryId === repository?.id && each.number === row?.number,
  );
  if (repository === undefined || pull === undefined || !sees(sight, repository)) return null;
  mustHave(core, actor, repository, need);
  return { repository, pull, sender: accountOf(actor) };
}

function mustRepository(sight: Sight, input: Input, need: Need): Repository {
  const repository = sight.core.state.repositories.get(idOf('repositories', input['repositoryId']));
  if (repository === undefined || !sees(sight, repository)) throw unknownNode(input['repositoryId']);
  mustHave(sight.core, sight.actor, repository, need);
  return repository;
}

function unknownNode(id: unknown): GraphqlFault {
  return new GraphqlFault('NOT_FOUND', `Could not resolve to a node with the global id of '${String(id)}'`);
}

function idOf(kind: NodeKind, nodeId: unknown): number | null {
  const parsed = typeof nodeId === 'string' ? parseNodeId(nodeId) : null;
  return parsed?.kind === kind ? parsed.id : null;
}

function idsOf(kind: NodeKind, given: unknown): number[] {
  if (!Array.isArray(given)) return [];
  return given.map((each) => {
    const id = idOf(kind, each);
    if (id === null) throw unknownNode(each);
    return id;
  });
}

function textOf(input: Input, name: string): string | null {
  const value = input[name];
  return typeof value === 'string' ? value : null;
}
