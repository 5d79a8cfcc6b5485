// The rows of the emulator. They are in memory, and are stored in one file of the data folder. Each write replaces the
// whole file, so that after a kill the file has either the old rows or the new rows.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as model from './types.ts';

export interface Rows {
  accounts: model.Account;
  memberships: model.Membership;
  teams: model.Team;
  repositories: model.Repository;
  formerNames: model.FormerName;
  pullRequests: model.PullRequest;
  labels: model.Label;
  timeline: model.TimelineItem;
  comments: model.IssueComment;
  reviews: model.Review;
  reviewThreads: model.ReviewThread;
  reviewComments: model.ReviewComment;
  checkSuites: model.CheckSuite;
  checkRuns: model.CheckRun;
  statuses: model.CommitStatus;
  workflows: model.Workflow;
  workflowRuns: model.WorkflowRun;
  workflowJobs: model.WorkflowJob;
  apps: model.App;
  installations: model.Installation;
  tokens: model.AccessToken;
  codes: model.ExchangeCode;
  deliveries: model.Delivery;
  protections: model.BranchProtection;
  rulesets: model.Ruleset;
}

const names = [
  'accounts',
  'memberships',
  'teams',
  'repositories',
  'formerNames',
  'pullRequests',
  'labels',
  'timeline',
  'comments',
  'reviews',
  'reviewThreads',
  'reviewComments',
  'checkSuites',
  'checkRuns',
  'statuses',
  'workflows',
  'workflowRuns',
  'workflowJobs',
  'apps',
  'installations',
  'tokens',
  'codes',
  'deliveries',
  'protections',
  'rulesets',
] as const satisfies readonly (keyof Rows)[];

export interface Table<T extends { readonly id: number }> {
  get(id: number | null | undefined): T | undefined;
  /** Throws if the row does not exist. For ids that come from another row. */
  must(id: number): T;
  find(matches: (row: T) => boolean): T | undefined;
  filter(matches: (row: T) => boolean): T[];
  all(): T[];
  /** Inserts a row. Without an `id`, the row gets the next one. */
  insert(row: Omit<T, 'id'> & { id?: number }): T;
  remove(id: number): void;
}

export type State = { readonly [Name in keyof Rows]: Table<Rows[Name]> } & {
  nextId(): number;
  /** Whether the rows were read from the file. */
  readonly isLoaded: boolean;
  /** Writes the file after a short delay. */
  save(): void;
  /** Writes the file now. */
  flush(): void;
};

const saveDelayMs = 100;

/** Opens the state. If `file` is null, the rows are only in memory. */
export function openState(file: string | null): State {
  const kept = file !== null && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : null;
  let lastId = kept?.lastId ?? 1000;
  let timer: NodeJS.Timeout | undefined;
  const nextId = (): number => ++lastId;
  const tables = Object.fromEntries(names.map((name) => [name, createTable(nextId, kept?.rows[name] ?? [])]));
  let lastWriteMs = 0;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (file === null) return;
    const startedAt = performance.now();
    const rows = Object.fromEntries(names.map((name) => [name, tables[name]?.all() ?? []]));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify({ lastId, rows }), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    lastWriteMs = performance.now() - startedAt;
  };
  // A large state is written less often, so that writing takes at most a twentieth of the time.
  const save = (): void => {
    if (file !== null) timer ??= setTimeout(flush, Math.max(saveDelayMs, 20 * lastWriteMs));
  };
  return { ...tables, nextId, save, flush, isLoaded: kept !== null } as unknown as State;
}

interface Kept {
  readonly lastId: number;
  readonly rows: Partial<Record<string, { id: number }[]>>;
}

function createTable<T extends { readonly id: number }>(nextId: () => number, kept: readonly T[]): Table<T> {
  const rows = new Map(kept.map((row) => [row.id, row]));
  return {
    get: (id) => rows.get(id ?? -1),
    must: (id) => {
      const row = rows.get(id);
      if (row === undefined) throw new Error(`The emulator has no row ${id}.`);
      return row;
    },
    find: (matches) => {
      for (const row of rows.values()) if (matches(row)) return row;
      return undefined;
    },
    filter: (matches) => {
      const found: T[] = [];
      for (const row of rows.values()) if (matches(row)) found.push(row);
      return found;
    },
    all: () => [...rows.values()],
    insert: (row) => {
      const made = { ...row, id: row.id ?? nextId() } as T;
      rows.set(made.id, made);
      return made;
    },
    remove: (id) => void rows.delete(id),
  };
}
