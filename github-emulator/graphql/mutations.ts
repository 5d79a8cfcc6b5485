// The mutations that Interlock and common tools of people use.
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
  type Conversation,
} from '../pulls/conversations.ts';
import { GraphqlFault } from './fault.ts';
import { viewPull } from './pulls.ts';
import { createRepository, moveRefs } from './repository-mutations.ts';
import type { ViewContext, View } from './view-context.ts';
import { sees } from './view-context.ts';
import { viewAccount } from './accounts.ts';
import { viewComment, viewReview, viewThread } from './conversations.ts';

type Input = Readonly<Record<string, unknown>>;
type Answer = View | Promise<View>;

const writePulls: Need = { permission: ['pull_requests', 'issues'], level: 'write', role: 'triage' };
const conversationNeed: Need = { permission: ['pull_requests', 'issues'], level: 'write', role: 'read' };
const push: Need = { permission: 'contents', level: 'write' };

export function viewMutation(context: ViewContext): View {
  const answers: Record<string, (input: Input) => Answer> = {
    ...pullMutations(context),
    ...conversationMutations(context),
    createRepository: async (input) => await createRepository(context, input),
    updateRefs: async (input) => await moveRefs(context, mustRepository(context, input, push), input),
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

function pullMutations(context: ViewContext): Record<string, (input: Input) => Answer> {
  const { core, actor } = context;
  const shown = ({ repository, pull }: Conversation): View => ({ pullRequest: viewPull(context, repository, pull) });
  return {
    createPullRequest: async (input) => {
      const repository = mustRepository(context, input, { ...conversationNeed, permission: 'pull_requests' });
      const fork = context.core.state.repositories.get(idOf('repositories', input['headRepositoryId']));
      const owner = core.state.accounts.get(fork?.ownerId);
      const head = String(input['headRefName']);
      const pull = await openPull(core, actor, {
        repository,
        given: {
          title: String(input['title']),
          body: textOf(input, 'body') ?? '',
          head: owner === undefined || head.includes(':') ? head : `${owner.login}:${head}`,
          base: String(input['baseRefName']),
          isDraft: input['draft'] === true,
          maintainerCanModify: input['maintainerCanModify'] !== false,
        },
      });
      return { pullRequest: viewPull(context, repository, pull) };
    },
    updatePullRequest: async (input) => {
      const conversation = mustFindConversation(context, input, { name: 'pullRequestId', need: writePulls });
      const { title, body, baseRefName: base, state } = input as Partial<Record<string, string>>;
      await editPull(core, conversation, {
        ...(title === undefined ? {} : { title }),
        ...(body === undefined ? {} : { body }),
        ...(base === undefined ? {} : { base }),
        ...(state === undefined ? {} : { state: state === 'OPEN' ? 'open' : 'closed' }),
      });
      if (Array.isArray(input['labelIds'])) setLabels(context, conversation, input['labelIds']);
      if (Array.isArray(input['assigneeIds'])) conversation.pull.assigneeIds = idsOf('accounts', input['assigneeIds']);
      return shown(conversation);
    },
    closePullRequest: (input) => {
      const conversation = mustFindConversation(context, input, { name: 'pullRequestId', need: writePulls });
      closePull(core, conversation);
      return shown(conversation);
    },
    reopenPullRequest: async (input) => {
      const conversation = mustFindConversation(context, input, { name: 'pullRequestId', need: writePulls });
      await reopenPull(core, conversation);
      return shown(conversation);
    },
    convertPullRequestToDraft: (input) => draft(context, input, true),
    markPullRequestReadyForReview: (input) => draft(context, input, false),
    mergePullRequest: async (input) => {
      const conversation = mustFindConversation(context, input, { name: 'pullRequestId', need: push });
      await mergePull(core, {
        ...conversation,
        actor,
        method: (textOf(input, 'mergeMethod') ?? 'MERGE').toLowerCase() as MergeMethod,
        sha: textOf(input, 'expectedHeadOid'),
        title: textOf(input, 'commitHeadline'),
        message: textOf(input, 'commitBody'),
      });
      return { ...shown(conversation), actor: viewAccount(context, conversation.sender) };
    },
    addLabelsToLabelable: (input) => {
      const conversation = mustFindConversation(context, input, { name: 'labelableId', need: writePulls });
      addLabels(core, conversation, namesOf(context, conversation.repository, input['labelIds']));
      return { labelable: viewPull(context, conversation.repository, conversation.pull) };
    },
    removeLabelsFromLabelable: (input) => {
      const conversation = mustFindConversation(context, input, { name: 'labelableId', need: writePulls });
      for (const id of idsOf('labels', input['labelIds'])) {
        const label = core.state.labels.get(id);
        if (label !== undefined && conversation.pull.labelIds.includes(id)) removeLabel(core, conversation, label);
      }
      return { labelable: viewPull(context, conversation.repository, conversation.pull) };
    },
  };
}

function conversationMutations(context: ViewContext): Record<string, (input: Input) => Answer> {
  const { core } = context;
  return {
    addComment: (input) => {
      const conversation = mustFindConversation(context, input, { name: 'subjectId', need: conversationNeed });
      const { appId } = conversation.sender;
      const comment = addComment(core, conversation, { body: String(input['body']), appId });
      const node = viewComment(context, conversation, comment);
      return {
        commentEdge: { cursor: '', node },
        subject: viewPull(context, conversation.repository, conversation.pull),
      };
    },
    updateIssueComment: (input) => {
      const { talk: conversation, comment } = mustComment(context, input);
      editComment(core, conversation, { comment, body: String(input['body']) });
      return { issueComment: viewComment(context, conversation, comment) };
    },
    deleteIssueComment: (input) => {
      const { talk: conversation, comment } = mustComment(context, input);
      deleteComment(core, conversation, comment);
      return {};
    },
    addPullRequestReview: (input) => {
      const conversation = mustFindConversation(context, input, {
        name: 'pullRequestId',
        need: {
          ...conversationNeed,
          permission: 'pull_requests',
        },
      });
      const states = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;
      const event = textOf(input, 'event') as keyof typeof states | null;
      const state = event === null ? 'PENDING' : (states[event] ?? 'PENDING');
      const review = submitReview(core, conversation, { state, body: textOf(input, 'body') ?? '' });
      const node = viewReview(context, conversation, review);
      return { pullRequestReview: node, reviewEdge: { cursor: '', node } };
    },
    requestReviews: (input) => {
      const conversation = mustFindConversation(context, input, { name: 'pullRequestId', need: writePulls });
      const people = idsOf('accounts', input['userIds']).map((id) => core.state.accounts.must(id));
      requestReviewers(core, conversation, people);
      return { pullRequest: viewPull(context, conversation.repository, conversation.pull) };
    },
    resolveReviewThread: (input) => resolve(context, input, true),
    unresolveReviewThread: (input) => resolve(context, input, false),
  };
}

function draft(context: ViewContext, input: Input, isDraft: boolean): View {
  const conversation = mustFindConversation(context, input, { name: 'pullRequestId', need: writePulls });
  setDraft(context.core, conversation, isDraft);
  return { pullRequest: viewPull(context, conversation.repository, conversation.pull) };
}

function resolve(context: ViewContext, input: Input, isResolved: boolean): View {
  const thread = context.core.state.reviewThreads.get(idOf('reviewThreads', input['threadId']));
  const conversation = findConversation(context, thread, { permission: 'pull_requests', level: 'write' });
  if (thread === undefined || conversation === null) throw unknownNode(input['threadId']);
  setThreadResolved(context.core, conversation, { thread, isResolved });
  return { thread: viewThread(context, conversation, thread) };
}

function setLabels(context: ViewContext, conversation: Conversation, given: unknown): void {
  const { core } = context;
  const wanted = idsOf('labels', given);
  for (const id of conversation.pull.labelIds.filter((each) => !wanted.includes(each)))
    removeLabel(core, conversation, core.state.labels.must(id));
  addLabels(core, conversation, namesOf(context, conversation.repository, given));
}

function namesOf({ core }: ViewContext, repository: Repository, given: unknown): string[] {
  return idsOf('labels', given).map((id) => {
    const label = core.state.labels.get(id);
    if (label === undefined || label.repositoryId !== repository.id) throw unknownNode(given);
    return label.name;
  });
}

function mustComment(context: ViewContext, input: Input) {
  const comment = context.core.state.comments.get(idOf('comments', input['id']));
  const conversation = findConversation(context, comment, conversationNeed);
  if (comment === undefined || conversation === null) throw unknownNode(input['id']);
  return { talk: conversation, comment };
}

function mustFindConversation(
  context: ViewContext,
  input: Input,
  { name, need }: { readonly name: string; readonly need: Need },
): Conversation {
  const conversation = findConversation(
    context,
    context.core.state.pullRequests.get(idOf('pullRequests', input[name])),
    need,
  );
  if (conversation === null) throw unknownNode(input[name]);
  return conversation;
}

/** Null: the row does not exist, or the actor may not see its repository. Throws if the actor lacks a permission. */
function findConversation(
  context: ViewContext,
  row: { repositoryId: number; number: number } | undefined,
  need: Need,
): Conversation | null {
  const { core, actor } = context;
  const repository = core.state.repositories.get(row?.repositoryId);
  const pull: PullRequest | undefined = core.state.pullRequests.find(
    (each) => each.repositoryId === repository?.id && each.number === row?.number,
  );
  if (repository === undefined || pull === undefined || !sees(context, repository)) return null;
  mustHave(core, actor, { repository, need });
  return { repository, pull, sender: accountOf(actor) };
}

function mustRepository(context: ViewContext, input: Input, need: Need): Repository {
  const repository = context.core.state.repositories.get(idOf('repositories', input['repositoryId']));
  if (repository === undefined || !sees(context, repository)) throw unknownNode(input['repositoryId']);
  mustHave(context.core, context.actor, { repository, need });
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
