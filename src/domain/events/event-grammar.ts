// Which events may follow which, for one pull request and for one batch: an automaton over the log.
// Entering `pending` and closing are silent, so that some steps are seen only by what comes after them.

export interface LoggedEvent {
  readonly action: string;
  readonly pullRequestId: string | null;
  readonly batchId: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Rule {
  /** Status of a pull request in its event, as the engine names it. */
  readonly statuses: readonly string[];
  /** Only between `queued` and what ends that. */
  readonly inLine?: true;
  readonly becomes?: 'in line' | 'out' | 'merged';
}

const known = ['open', 'pending', 'queued', 'tagged', 'blocked'];

const rules: Readonly<Record<string, Rule>> = {
  opened: { statuses: ['open'], becomes: 'out' },
  labeled: { statuses: known },
  queued: { statuses: ['queued'], becomes: 'in line' },
  dequeued: { statuses: ['open'], becomes: 'out' },
  added_to_batch: { statuses: ['tagged'], inLine: true },
  top_of_queue: { statuses: ['queued', 'tagged'], inLine: true },
  reordered: { statuses: ['queued', 'tagged'], inLine: true },
  stuck: { statuses: ['tagged'], inLine: true },
  blocked: { statuses: ['blocked'], becomes: 'out' },
  merged: { statuses: ['merged'], becomes: 'merged' },
  // The event names the pull request that caused the reset, in any status, or the first one that was put back.
  reset: { statuses: [...known, 'merged'] },
};

interface LineState {
  place: 'in line' | 'out' | 'merged';
  /** Since it entered the line. */
  wasTop: boolean;
}

const ends: readonly string[] = ['batch_merged', 'batch_failed', 'batch_bisected'];

/** A sentence for each event that cannot come where it does. */
export function problemsOfEvents(events: readonly LoggedEvent[]): string[] {
  const pullRequests = new Map<string, LineState>();
  const ended = new Set<string>();
  const merged = new Set<unknown>();
  return events.flatMap((event) => {
    if (event.batchId !== null && ends.includes(event.action)) return problemsOfBatch(event, { ended, merged });
    const rule = rules[event.action];
    if (rule === undefined || event.pullRequestId === null) return [];
    const state = pullRequests.get(event.pullRequestId) ?? { place: 'out', wasTop: false };
    pullRequests.set(event.pullRequestId, state);
    const problems = problemsOf(event, rule, state);
    follow(event, rule, state);
    if (event.action === 'merged') merged.add(event.payload['number']);
    return problems;
  });
}

function problemsOf({ action, payload }: LoggedEvent, rule: Rule, state: LineState): string[] {
  const name = `#${String(payload['number'])} ${action}`;
  const problems: string[] = [];
  if (!rule.statuses.includes(String(payload['status'])))
    problems.push(`${name} with status ${String(payload['status'])}`);
  if (rule.inLine && state.place !== 'in line') problems.push(`${name} while ${state.place}`);
  if (state.place === 'merged' && action !== 'reset') problems.push(`${name} after merged`);
  if (action === 'top_of_queue' && state.wasTop) problems.push(`${name} twice since it was queued`);
  if (action === 'blocked' && typeof payload['statusCode'] !== 'number') problems.push(`${name} without a code`);
  if (action === 'dequeued' && payload['statusCode'] !== 104) problems.push(`${name} with another code than 104`);
  if (action === 'reset' && typeof payload['resetCode'] !== 'number') problems.push(`${name} without its code`);
  return problems;
}

function follow({ action }: LoggedEvent, rule: Rule, state: LineState): void {
  if (action === 'top_of_queue') state.wasTop = true;
  if (rule.becomes === undefined) return;
  state.place = rule.becomes;
  state.wasTop = false;
}

function problemsOfBatch(
  { action, batchId, payload }: LoggedEvent,
  seen: { readonly ended: Set<string>; readonly merged: ReadonlySet<unknown> },
): string[] {
  const name = `batch ${batchId} ${action}`;
  const problems = seen.ended.has(batchId ?? '') ? [`${name} after its end`] : [];
  seen.ended.add(batchId ?? '');
  const members = payload['pullRequests'] as readonly { readonly number: number; readonly status: string }[];
  if (members.length === 0) problems.push(`${name} without members`);
  if (action !== 'batch_merged') return problems;
  for (const { number, status } of members)
    if (status !== 'merged' || !seen.merged.has(number))
      problems.push(`${name} before #${number} was reported as merged`);
  return problems;
}
