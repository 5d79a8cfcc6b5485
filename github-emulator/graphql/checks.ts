// Check suites, check runs, workflow runs, statuses, and their combined state.
import { pageOfWorkflowRun } from '../actions/render.ts';
import {
  combineStatuses,
  isPassing,
  latestRuns,
  latestStatuses,
  runsOfCommit,
  runsOfSuite,
  statusesOf,
} from '../checks/results.ts';
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { CheckRun, CheckSuite, CommitStatus, Repository, WorkflowRun } from '../model/types.ts';
import { protectionOf, rulesetsOf } from '../rules/decide.ts';
import { rulesOfRepository } from '../rules/settings.ts';
import { viewAccountOf, viewAppOf } from './accounts.ts';
import { connect } from './connection.ts';
import { enumOf, type ViewContext, type View } from './view-context.ts';

interface RunFilter {
  readonly filterBy?: {
    readonly checkType?: 'ALL' | 'LATEST' | null;
    readonly checkName?: string | null;
    readonly appId?: number | null;
    readonly status?: string | null;
  } | null;
}

export function viewCheckSuite(context: ViewContext, repository: Repository, suite: CheckSuite): View {
  const { core } = context;
  return {
    __typename: 'CheckSuite',
    id: nodeIdOf('checkSuites', suite.id),
    databaseId: suite.id,
    app: () => viewAppOf(context, suite.appId),
    status: enumOf(suite.status),
    conclusion: enumOf(suite.conclusion),
    createdAt: suite.createdAt,
    updatedAt: suite.updatedAt,
    branch: null,
    creator: null,
    push: null,
    url: `${core.urls.web}/${fullNameOf(core, repository)}/commit/${suite.headSha}/checks?check_suite_id=${suite.id}`,
    commit: async () => await context.views.commitOf(repository, suite.headSha),
    repository: () => context.views.repository(repository),
    workflowRun: () => {
      const run = core.state.workflowRuns.find((each) => each.checkSuiteId === suite.id);
      return run === undefined ? null : viewWorkflowRun(context, repository, run);
    },
    checkRuns: (given: RunFilter) => {
      const { checkType, checkName, appId, status } = given.filterBy ?? {};
      const all = runsOfSuite(core, suite);
      const rows = (checkType === 'ALL' ? all : latestRuns(all))
        .filter((run) => (checkName ?? run.name) === run.name && (appId ?? run.appId) === run.appId)
        .filter((run) => (status ?? enumOf(run.status)) === enumOf(run.status));
      return connect('checkRuns', given, rows, (run) => viewCheckRun(context, repository, run));
    },
  };
}

export function viewCheckRun(context: ViewContext, repository: Repository, run: CheckRun): View {
  const { core } = context;
  const page = run.detailsUrl ?? `${core.urls.web}/${fullNameOf(core, repository)}/runs/${run.id}`;
  const suite = core.state.checkSuites.must(run.checkSuiteId);
  return {
    __typename: 'CheckRun',
    id: nodeIdOf('checkRuns', run.id),
    databaseId: run.id,
    name: run.name,
    status: enumOf(run.status),
    conclusion: enumOf(run.conclusion),
    externalId: run.externalId === '' ? null : run.externalId,
    detailsUrl: page,
    url: page,
    permalink: page,
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    title: run.output.title,
    summary: run.output.summary,
    text: run.output.text,
    checkSuite: () => viewCheckSuite(context, repository, suite),
    repository: () => context.views.repository(repository),
    isRequired: (given: PullArguments) => isRequired(context, repository, { name: run.name, given }),
  };
}

interface PullArguments {
  readonly pullRequestId?: string | null;
  readonly pullRequestNumber?: number | null;
}

function isRequired(
  context: ViewContext,
  repository: Repository,
  { name, given }: { readonly name: string; readonly given: PullArguments },
): boolean {
  const pull = context.core.state.pullRequests.find(
    (each) =>
      each.repositoryId === repository.id &&
      (each.number === given.pullRequestNumber || nodeIdOf('pullRequests', each.id) === given.pullRequestId),
  );
  return pull !== undefined && requiredNames(context, repository, pull.base.ref).includes(name);
}

/** The names of the checks that the protection or a ruleset of a branch requires. */
export function requiredNames({ core }: ViewContext, repository: Repository, branch: string): string[] {
  const rules = rulesOfRepository(core, repository);
  const classic = protectionOf(rules.protections, branch)?.requiredChecks?.checks ?? [];
  const byRulesets = rulesetsOf(rules, `refs/heads/${branch}`)
    .flatMap((ruleset) => ruleset.rules)
    .flatMap((rule) => (rule.type === 'required_status_checks' ? rule.parameters.required_status_checks : []));
  return [...new Set([...classic, ...byRulesets].map(({ context }) => context))];
}

export function viewWorkflowRun(context: ViewContext, repository: Repository, run: WorkflowRun): View {
  const { core } = context;
  const workflow = core.state.workflows.must(run.workflowId);
  const page = pageOfWorkflowRun(core, repository, run);
  return {
    __typename: 'WorkflowRun',
    id: nodeIdOf('workflowRuns', run.id),
    databaseId: run.id,
    event: run.event,
    runNumber: run.runNumber,
    createdAt: run.createdAt,
    updatedAt: run.updatedAt,
    url: page,
    resourcePath: new URL(page).pathname,
    checkSuite: () => viewCheckSuite(context, repository, core.state.checkSuites.must(run.checkSuiteId)),
    workflow: {
      __typename: 'Workflow',
      id: nodeIdOf('workflows', workflow.id),
      databaseId: workflow.id,
      name: workflow.name,
      state: enumOf(workflow.state),
      createdAt: workflow.createdAt,
      updatedAt: workflow.updatedAt,
      url: `${core.urls.web}/${fullNameOf(core, repository)}/actions/workflows/${workflow.path.split('/').at(-1)}`,
    },
  };
}

function viewStatus(context: ViewContext, repository: Repository, status: CommitStatus): View {
  return {
    __typename: 'StatusContext',
    id: nodeIdOf('statuses', status.id),
    context: status.context,
    state: enumOf(status.state),
    description: status.description,
    targetUrl: status.targetUrl,
    avatarUrl: null,
    createdAt: status.createdAt,
    creator: () => viewAccountOf(context, status.creatorId),
    commit: async () => await context.views.commitOf(repository, status.sha),
    isRequired: (given: PullArguments) => isRequired(context, repository, { name: status.context, given }),
  };
}

/** Null: the commit has no statuses. */
export function viewStatuses(context: ViewContext, repository: Repository, sha: string): View | null {
  const statuses = statusesOf(context.core, repository, sha);
  if (statuses.length === 0) return null;
  const latest = latestStatuses(statuses);
  return {
    __typename: 'Status',
    id: nodeIdOf('statuses', repository.id, sha),
    state: enumOf(combineStatuses(statuses)),
    contexts: () => latest.map((each) => viewStatus(context, repository, each)),
    context: ({ name }: { name: string }) => {
      const found = latest.find(({ context }) => context === name);
      return found === undefined ? null : viewStatus(context, repository, found);
    },
    commit: async () => await context.views.commitOf(repository, sha),
  };
}

/** Null: the commit has no checks and no statuses. */
export function viewRollup(context: ViewContext, repository: Repository, sha: string): View | null {
  const runs = latestRuns(runsOfCommit(context.core, repository, sha));
  const statuses = latestStatuses(statusesOf(context.core, repository, sha));
  if (runs.length === 0 && statuses.length === 0) return null;
  const rows = [
    ...runs.map((run) => () => viewCheckRun(context, repository, run)),
    ...statuses.map((status) => () => viewStatus(context, repository, status)),
  ];
  return {
    __typename: 'StatusCheckRollup',
    id: nodeIdOf('commits', repository.id, `rollup ${sha}`),
    state: stateOf(runs, statuses),
    contexts: (given: object) => connect('contexts', given, rows, (view) => view()),
    commit: async () => await context.views.commitOf(repository, sha),
  };
}

function stateOf(runs: readonly CheckRun[], statuses: readonly CommitStatus[]): string {
  const isFailing =
    runs.some(({ status, conclusion }) => status === 'completed' && !isPassing(conclusion)) ||
    statuses.some(({ state }) => state === 'failure' || state === 'error');
  if (isFailing) return 'FAILURE';
  const isPending =
    runs.some(({ status }) => status !== 'completed') || statuses.some(({ state }) => state === 'pending');
  return isPending ? 'PENDING' : 'SUCCESS';
}
