// Checks an event log: which events may follow which events, for each pull request and for each batch. The event
// that a pull request was closed or became `pending` is not checked, so some steps are seen only by the events that
// follow them.

export interface LoggedEvent {
  readonly action: string;
  readonly pullRequestId: string | null;
  readonly batchId: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Rule {
  /** The statuses that the pull request may have in the event, by their internal names. */
  readonly statuses: readonly string[];
  /** The event is possible only while the pull request is in line. */
  readonly inLine?: true;
  readonly becomes?: 'in line' | 'out' | 'merged';
}

const openStatuses = ['open', 'pending', 'queued', 'tagged', 'blocked'];

const rules: Readonly<Record<string, Rule>> = {
  opened: { statuses: ['open'], becomes: 'out' },
  labeled: { statuses: openStatuses },
  queued: { statuses: ['queued'], becomes: 'in line' },
  dequeued: { statuses: ['open'], becomes: 'out' },
  added_to_batch: { statuses: ['tagged'], inLine: true },
  top_of_queue: { statuses: ['queued', 'tagged'], inLine: true },
  reordered: { statuses: ['queued', 'tagged'], inLine: true },
  // Its build may reuse the evidence of an earlier one. Such a build is not opened, and its members are not tagged.
  stuck: { statuses: ['queued', 'tagged'], inLine: true },
  blocked: { statuses: ['blocked'], becomes: 'out' },
  merged: { statuses: ['merged'], becomes: 'merged' },
  // The event names the pull request that caused the reset, in any status, or the first one that was put back.
  reset: { statuses: [...openStatuses, 'merged'] },
};

interface LineState {
  place: 'in line' | 'out' | 'merged';
  /** Whether `top_of_queue` was logged since the pull request entered the line. */
  wasTop: boolean;
}

const batchEnds: readonly string[] = ['batch_merged', 'batch_failed', 'batch_bisected'];

/** Returns a sentence for each event that is not allowed at its place in the log. */
export function problemsOfEvents(events: readonly LoggedEvent[]): string[] {
  const pullRequests = new Map<string, LineState>();
  const ended = new Set<string>();
  const merged = new Set<unknown>();
  return events.flatMap((event) => {
    if (event.batchId !== null && batchEnds.includes(event.action)) return problemsOfBatch(event, { ended, merged });
    const rule = rules[event.action];
    if (rule === undefined || event.pullRequestId === null) return [];
    const state = pullRequests.get(event.pullRequestId) ?? { place: 'out', wasTop: false };
    pullRequests.set(event.pullRequestId, state);
    const problems = problemsOf(event, rule, state);
    applyEvent(event, rule, state);
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
  if (action === 'dequeued' && payload['statusCode'] !== 104) problems.push(`${name} with a code other than 104`);
  if (action === 'reset' && typeof payload['resetCode'] !== 'number') problems.push(`${name} without a reset code`);
  return problems;
}

function applyEvent({ action }: LoggedEvent, rule: Rule, state: LineState): void {
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
