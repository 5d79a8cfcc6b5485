// The commands of the Action. Each command sends a request, waits for the result if the workflow asks for it, and
// returns what the workflow reads.
import { readFile } from 'node:fs/promises';
import {
  InputError,
  targetsOf,
  type DeploymentRequest,
  type PreviewRequest,
  type QueueRequest,
  type ReleaseRequest,
  type Request,
  type TargetsRequest,
} from './inputs.ts';
import { dataOf, Outage, Refusal, type Clock, type Service } from './service.ts';

export interface Result {
  /** False: the step fails. */
  readonly isDone: boolean;
  /** The result in a few words, such as `#7 is merged`. */
  readonly title: string;
  readonly sentence: string;
  readonly outputs: Readonly<Record<string, string>>;
}

export interface CommandContext {
  readonly service: Service;
  readonly clock: Clock;
  /** Writes a line of progress to the log. */
  readonly say: (line: string) => void;
}

export async function carryOut(request: Request, context: CommandContext): Promise<Result> {
  switch (request.command) {
    case 'queue':
      return await queue(request, context);
    case 'affected-targets':
      return await reportTargets(request, context);
    case 'register-preview':
      return await registerPreview(request, context);
    case 'create-release':
      return await createRelease(request, context);
    case 'report-deployment':
      return await reportDeployment(request, context);
    default:
      return request satisfies never;
  }
}

const pollEveryMs = 5_000;

/**
 * Reads again and again until `isEnded` returns true, and says each new sentence. Goes on during an outage of the
 * service. Null: the time is over.
 */
async function waitFor<State extends { readonly sentence: string }>(
  { clock, say }: CommandContext,
  { minutes, read, isEnded }: { minutes: number; read: () => Promise<State>; isEnded: (state: State) => boolean },
): Promise<State | null> {
  const deadline = clock.now() + minutes * 60_000;
  let lastSentence = '';
  for (;;) {
    const state = await readUnlessOut(read);
    const sentence = state instanceof Outage ? `${state.message} The step tries again.` : state.sentence;
    if (sentence !== lastSentence) say(sentence);
    lastSentence = sentence;
    if (!(state instanceof Outage) && isEnded(state)) return state;
    if (clock.now() >= deadline) return null;
    await clock.delay(pollEveryMs);
  }
}

async function readUnlessOut<State>(read: () => Promise<State>): Promise<State | Outage> {
  return await read().catch((error: unknown) => {
    if (error instanceof Outage) return error;
    throw error;
  });
}

interface Progress {
  readonly status: string;
  readonly sentence: string;
  readonly mergeCommit: string | null;
}

const progressQuery = `query ActionProgress($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { status mergeCommit explain { sentence } } }
}`;

interface ProgressData {
  readonly repository: {
    readonly pullRequest: {
      readonly status: string;
      readonly mergeCommit: string | null;
      readonly explain: { readonly sentence: string };
    } | null;
  } | null;
}

async function readProgress({ service }: CommandContext, { repository, number }: QueueRequest): Promise<Progress> {
  const variables = { owner: repository.org, name: repository.name, number };
  const { repository: found } = await service.query<ProgressData>(progressQuery, variables);
  if (!found?.pullRequest) throw new Refusal(`${repository.org}/${repository.name} has no pull request #${number}.`);
  const { status, mergeCommit, explain } = found.pullRequest;
  return { status: status.toLowerCase(), mergeCommit, sentence: explain.sentence };
}

const statusesOutOfQueue: readonly string[] = ['merged', 'blocked', 'open', 'closed'];

async function queue(request: QueueRequest, context: CommandContext): Promise<Result> {
  const { repository, number, headCommitSha, skipLine, skipLineReason, waitMinutes } = request;
  const read = async (): Promise<Progress> => await readProgress(context, request);
  const answer = await context.service.rest.POST('/api/v1/pull_request', {
    body: {
      action: 'queue',
      pull_request: {
        number,
        repository,
        ...(headCommitSha !== null && { head_commit_sha: headCommitSha }),
        ...(skipLine && { skip_line: true }),
        ...(skipLineReason !== null && { skip_line_reason: skipLineReason }),
      },
    },
  });
  // If a step runs again after its pull request was merged, the service refuses the request, and the step succeeds.
  const isMerged = answer.response.status === 400 && (await read()).status === 'merged';
  if (!isMerged) dataOf(answer);
  const ended =
    waitMinutes === null
      ? await read()
      : await waitFor(context, {
          minutes: waitMinutes,
          read,
          isEnded: ({ status }) => statusesOutOfQueue.includes(status),
        });
  const { status, sentence, mergeCommit } = ended ?? (await read());
  const outputs = { status, sentence, 'pull-request': String(number), 'merge-commit': mergeCommit ?? '' };
  const title = `#${number} is ${status}`;
  if (ended === null)
    return {
      isDone: false,
      title,
      sentence: `${sentence} After ${waitMinutes} minutes it is not merged yet. It stays in the queue.`,
      outputs,
    };
  const isDone = waitMinutes === null ? status !== 'blocked' : status === 'merged';
  return {
    isDone,
    title,
    sentence: mergeCommit === null ? sentence : `The pull request is merged as ${mergeCommit}.`,
    outputs,
  };
}

async function reportTargets(request: TargetsRequest, { service }: CommandContext): Promise<Result> {
  const { repository, number, headCommitSha } = request;
  const targets = 'list' in request.targets ? request.targets.list : await readTargets(request.targets.file);
  const { pull_request } = pullRequestIn(
    dataOf(
      await service.rest.POST('/api/v1/pull_request', {
        body: {
          action: 'update',
          pull_request: {
            number,
            repository,
            affected_targets: [...targets],
            ...(headCommitSha !== null && { head_commit_sha: headCommitSha }),
          },
        },
      }),
    ),
  );
  const isOne = targets.length === 1;
  const count = isOne ? '1 target' : `${targets.length} targets`;
  const sentence = `${isOne ? '1 affected target is' : `${targets.length} affected targets are`} reported for #${number}.`;
  const outputs = { status: pull_request.status, sentence, 'pull-request': String(number) };
  return { isDone: true, title: `#${number} affects ${count}`, sentence, outputs };
}

/** Every operation on a pull request answers with the pull request. */
function pullRequestIn(data: object): { readonly pull_request: { readonly status: string } } {
  return data as { readonly pull_request: { readonly status: string } };
}

async function readTargets(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new InputError(`targets-file: ${file} cannot be read (${error.code}). An earlier step must write this file.`);
  });
  return targetsOf(text, file);
}

async function registerPreview(request: PreviewRequest, { service }: CommandContext): Promise<Result> {
  const { repository, commitSha, url, name, secrets, expiresAt } = request;
  const registration = dataOf(
    await service.rest.POST('/api/v1/verify/preview-environment', {
      body: {
        repository,
        commit_sha: commitSha,
        preview_url: url,
        ...('number' in request.of ? { pr_number: request.of.number } : { branch: request.of.branch }),
        ...(name !== null && { name }),
        ...(Object.keys(secrets).length > 0 && { secrets }),
        ...(expiresAt !== null && { expires_at: expiresAt }),
      },
    }),
  );
  const { registration_id: id, status, message, expires_at } = registration;
  const outputs = { id, status, sentence: message, 'expires-at': expires_at };
  return { isDone: true, title: `The preview of ${commitSha.slice(0, 10)} is registered`, sentence: message, outputs };
}

const candidateQuery = `query ActionCandidate($project: String!, $version: ReleaseCandidateVersion!) {
  releaseProject(name: $project) { releaseCandidate(version: $version) { status errorMessage } }
}`;

interface CandidateData {
  readonly releaseProject: {
    readonly releaseCandidate: { readonly status: string; readonly errorMessage: string | null } | null;
  } | null;
}

async function createRelease(request: ReleaseRequest, context: CommandContext): Promise<Result> {
  const { repository, project, version, commit, build, waitMinutes } = request;
  const candidate = dataOf(
    await context.service.rest.POST('/api/releases/{project_name}/releases/{release_candidate_version}', {
      params: { path: { project_name: project, release_candidate_version: version } },
      body: { repo: `${repository.org}/${repository.name}`, commit, trigger_build_workflow: build },
    }),
  );
  const read = async (): Promise<{ status: string; sentence: string }> => {
    const { releaseProject } = await context.service.query<CandidateData>(candidateQuery, { project, version });
    const status = releaseProject?.releaseCandidate?.status.toLowerCase() ?? 'failed';
    const error = releaseProject?.releaseCandidate?.errorMessage ?? null;
    return { status, sentence: error ?? `${project} ${version} is ${status}.` };
  };
  const first = {
    status: candidate.status,
    sentence: `${project} ${version} is ${candidate.status}, at commit ${candidate.commit}.`,
  };
  const isEnded = ({ status }: { status: string }): boolean => status !== 'building';
  const ended =
    waitMinutes === null || isEnded(first) ? first : await waitFor(context, { minutes: waitMinutes, read, isEnded });
  const { status, sentence } = ended ?? {
    status: 'building',
    sentence: `${project} ${version} is still being built after ${waitMinutes} minutes.`,
  };
  const outputs = { id: candidate.id, status, sentence, version };
  return {
    isDone: ended !== null && status !== 'failed',
    title: `${project} ${version} is ${status}`,
    sentence,
    outputs,
  };
}

async function reportDeployment(request: DeploymentRequest, { service }: CommandContext): Promise<Result> {
  const { project, environment, version, status } = request;
  const deployment = dataOf(
    await service.rest.PATCH('/api/releases/{project_name}/environments/{env_name}/deployments', {
      params: { path: { project_name: project, env_name: environment } },
      body: { release_candidate_version: version, status },
    }),
  );
  const sentence = `The deployment of ${project} ${version} to ${environment} is ${deployment.status}.`;
  const outputs = { id: deployment.id, status: deployment.status, sentence, version };
  return { isDone: true, title: `${environment} ${version}: ${deployment.status}`, sentence, outputs };
}
