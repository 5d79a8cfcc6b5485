// Which records are deleted by age. docs/retention.md, the settings, the loop that deletes and `doctor` use this table.

interface RetainedEntry {
  /** The records that are deleted, as words in a sentence. */
  readonly what: string;
  /** The environment variable that sets the days. Null: another rule fixes the days. */
  readonly setting: `KEEP_${string}_DAYS` | null;
  readonly days: number;
  /** Fewer days would break something else, which `rule` names. */
  readonly minDays: number;
  /** A text that says from when the days count, and what is spared. */
  readonly rule: string;
}

const everyEntry = {
  events: {
    what: 'Events',
    setting: 'KEEP_EVENTS_DAYS',
    days: 400,
    minDays: 30,
    rule: "From the event. Only the beginning of an account's log is deleted, so that the rest has no gap. Events without a position are kept. A cursor of a deleted event is answered with CURSOR_EXPIRED. A queue as of an earlier instant may lack the pause of a pattern that has ended since, if the event that set it is deleted.",
  },
  history: {
    what: 'Earlier states of pull requests and queues, and results of attempted merges',
    setting: 'KEEP_HISTORY_DAYS',
    days: 400,
    minDays: 30,
    rule: 'From the end of the state, and from the merge. A queue as of an earlier instant is null.',
  },
  targets: {
    what: 'Earlier affected targets of pull requests',
    setting: 'KEEP_TARGETS_DAYS',
    days: 30,
    minDays: 1,
    rule: 'From the report that replaced them. Forecasts as of an earlier instant know no targets.',
  },
  intents: {
    what: 'Finished calls of code hosts',
    setting: 'KEEP_INTENTS_DAYS',
    days: 90,
    minDays: 30,
    rule: 'From the end of the call. Records of landings, updates, backports and replies are kept, so that none of these happens twice.',
  },
  webhook_deliveries: {
    what: 'Deliveries of webhooks and their attempts',
    setting: 'KEEP_WEBHOOK_DELIVERIES_DAYS',
    days: 30,
    minDays: 1,
    rule: 'From the event. Deliveries under way are kept. Deliveries of a deleted endpoint are deleted at once.',
  },
  host_deliveries: {
    what: 'Ids of webhooks from GitHub',
    setting: 'KEEP_HOST_DELIVERIES_DAYS',
    days: 7,
    minDays: 4,
    rule: 'From the receipt. GitHub sends a webhook again for three days.',
  },
  check_output: {
    what: 'Output of checks of the local host, on disk',
    setting: 'KEEP_CHECK_OUTPUT_DAYS',
    days: 90,
    minDays: 1,
    rule: 'From the last write. The results of the checks are kept.',
  },
  deployment_logs: {
    what: 'Logs of deployments and of builds of release candidates',
    setting: 'KEEP_DEPLOYMENT_LOGS_DAYS',
    days: 90,
    minDays: 1,
    rule: 'From the writing of each part of the log. Deployments and release candidates are kept.',
  },
  runbook_logs: {
    what: 'Logs and tool calls of runbooks',
    setting: 'KEEP_RUNBOOK_LOGS_DAYS',
    days: 90,
    minDays: 1,
    rule: 'From the writing of each part of the log. Runbooks, their steps and their commits are kept.',
  },
  verification_logs: {
    what: 'Logs of verifications, and registered previews that no verification used',
    setting: 'KEEP_VERIFICATION_LOGS_DAYS',
    days: 90,
    minDays: 1,
    rule: 'From the writing of each part of the log, and from the end of the registration. Verifications and their steps are kept.',
  },
  freezes: {
    what: 'Freezes',
    setting: 'KEEP_FREEZES_DAYS',
    days: 400,
    minDays: 1,
    rule: 'From the end of the freeze.',
  },
  sessions: {
    what: 'Sessions of browsers, and links that sign in',
    setting: 'KEEP_SESSIONS_DAYS',
    days: 30,
    minDays: 8,
    rule: 'From the start of the session, which lasts 7 days at most, and from the end of the link.',
  },
  embed_links: {
    what: 'Links for screens and badges that have ended',
    setting: 'KEEP_EMBED_LINKS_DAYS',
    days: 90,
    minDays: 1,
    rule: 'From the end of the link: its revocation or expiry, or the end of the token that made it. The audit log and the events say who made and revoked which link.',
  },
  tokens: {
    what: 'API tokens that have ended',
    setting: 'KEEP_TOKENS_DAYS',
    days: 90,
    minDays: 1,
    rule: 'From the revocation, or from the expiry. A token is kept while it signs webhooks, and as long as a session, a sign-in link, a link for a screen or another token that was made with it is kept. The audit log and the events say who made and revoked which token.',
  },
  idempotency_keys: {
    what: 'Idempotency keys and the answers stored under them',
    setting: null,
    days: 1,
    minDays: 1,
    rule: 'From the first request. The interface promises 24 hours.',
  },
} as const satisfies Readonly<Record<string, RetainedEntry>>;

export type RetainedKind = keyof typeof everyEntry;

export const retentionCatalogue: Readonly<Record<RetainedKind, RetainedEntry>> = everyEntry;
export const retainedKinds = Object.keys(everyEntry) as readonly RetainedKind[];

/** How many days each kind is kept. Null: for ever. */
export type Retention = Readonly<Record<RetainedKind, number | null>>;

export class RetentionRefused extends Error {}

const maxDays = 36_500;

/** Throws RetentionRefused, which names the variable and its allowed values. */
export function readRetention(env: Readonly<Record<string, string | undefined>>): Retention {
  const entries = retainedKinds.map((kind) => [kind, daysOf(retentionCatalogue[kind], env)]);
  return Object.fromEntries(entries) as Retention;
}

function daysOf({ setting, days, minDays }: RetainedEntry, env: Readonly<Record<string, string | undefined>>) {
  const text = (setting === null ? undefined : env[setting]) || String(days);
  if (text === 'forever') return null;
  if (/^\d{1,5}$/.test(text) && Number(text) >= minDays && Number(text) <= maxDays) return Number(text);
  throw new RetentionRefused(
    `${setting} must be forever, or a whole number of days from ${minDays} to ${maxDays}, not ${JSON.stringify(text)}.`,
  );
}

/** Records older than this are deleted. Null: none is deleted. */
export function cutoffOf(kind: RetainedKind, retention: Retention, now: Date): Date | null {
  const days = retention[kind];
  return days === null ? null : new Date(now.getTime() - days * 24 * 3_600_000);
}
