// Describes an event: what happened, and to what. An action without an entry here is shown by its name.
import { numbers, sentence, textsOf, labelOf } from '../design/labels.ts';

export interface DescribedEvent {
  readonly what: string;
  /** The reason, or another text of the event. Empty: the event has no such text. */
  readonly detail: string;
  /**
   * What the event happened to. Empty: the event is about the repository, or about a pull request, which is shown
   * elsewhere.
   */
  readonly subject: string;
}

type Facts = Readonly<Record<string, unknown>>;

const phrases: Readonly<Record<string, string>> = {
  added_to_batch: 'Joined a batch',
  batch_bisected: 'The build failed, and the batch was halved',
  batch_failed: 'The build failed',
  batch_merged: 'The batch landed',
  batch_started: 'A batch was formed',
  blocked: 'Blocked',
  build_started: 'CI was asked to build',
  candidate_created: 'The candidate was cut',
  candidate_ready: 'The candidate is ready',
  config_change: 'The configuration changed',
  dequeued: 'Left the line',
  environment_frozen: 'The environment was frozen',
  environment_unfrozen: 'The environment is no longer frozen',
  freeze_created: 'A freeze was made',
  freeze_ended: 'A freeze ended',
  labeled: 'Got a label',
  merged: 'Landed',
  opened: 'Opened',
  preview_secret_granted: 'A secret was granted to previews',
  queued: 'Entered the line',
  repository_paused: 'The queues were paused',
  repository_unpaused: 'The queues were resumed',
  reset: 'The build was reset',
  runbook_created: 'The runbook was created',
  runbook_defaults_changed: 'The defaults of runbooks changed',
  runbook_planned: 'The steps were planned',
  runbook_prompted: 'A prompt was added',
  stuck: 'Waits longer than the configuration permits',
  top_of_queue: 'Is first in line',
};

/** What `pull_request_changed` says, by the status of the pull request. */
const changes: Readonly<Record<string, string>> = { closed: 'Closed', pending: 'Waits to enter the line' };

/** `action`: the name of the event, such as `config_change`. `payload`: its facts. */
export function describeEvent(action: string, payload: unknown): DescribedEvent {
  const facts = (typeof payload === 'object' && payload !== null ? payload : {}) as Facts;
  return { what: whatOf(action, facts), detail: textsOf(detailsOf(facts)), subject: subjectOf(action, facts) };
}

function whatOf(action: string, facts: Facts): string {
  const known = phrases[action];
  if (known !== undefined) return known;
  const status = labelOf(textOf(facts['status']));
  if (action === 'pull_request_changed') return changes[status] ?? 'Changed at the code host';
  if (action.startsWith('deployment_')) return `Deployment: ${labelOf(action.slice('deployment_'.length))}`;
  if (action.startsWith('verification_')) return `Verification: ${labelOf(action.slice('verification_'.length))}`;
  if (action === 'runbook_status_changed') return `The runbook is ${status}`;
  if (action === 'runbook_step_changed') return `Step ${textOf(facts['step'])}: ${status}`;
  if (action === 'runbook_pull_request_changed')
    return `${["The runbook's pull request", ...numberIn(facts)].join(' ')} is ${labelOf(textOf(facts['state']))}`;
  return sentence(action);
}

function subjectOf(action: string, facts: Facts): string {
  const runbook = textOf(facts['number']);
  if (action.startsWith('runbook_') && runbook !== '') return `Runbook ${runbook}`;
  const { project, version, environment } = facts;
  if (typeof project === 'string')
    return [project, ...[version, environment].filter((one) => typeof one === 'string')].join(', ');
  if (typeof facts['key'] === 'string') return facts['key'];
  const commit = textOf(facts['commit']);
  return numbers(numbersIn(facts)) || (action === 'build_started' ? commit.slice(0, 8) : '');
}

/** The facts to show. If the event has a sentence, the reason is left out, because the sentence contains it. */
function detailsOf({ reason, ...others }: Facts): Facts {
  return others['sentence'] === undefined ? { ...others, reason } : others;
}

/** Reads the pull requests of an event about a batch. The event has numbers, or objects with a number. */
function numbersIn({ pullRequests }: Facts): readonly number[] {
  if (!Array.isArray(pullRequests)) return [];
  return pullRequests
    .map((one: unknown) => (typeof one === 'number' ? one : (one as { readonly number?: unknown } | null)?.number))
    .filter((number) => typeof number === 'number');
}

/** Reads the number of the event's pull request. Empty: the pull request is only planned and has no number yet. */
function numberIn({ pullRequest }: Facts): readonly string[] {
  return typeof pullRequest === 'number' ? [`#${pullRequest}`] : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
