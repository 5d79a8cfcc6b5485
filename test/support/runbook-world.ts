// A world that carries out runbooks: verbs that request and change runbooks, and what a user sees of the runbooks.
import {
  cancelRunbook,
  continueRunbook,
  createRunbook,
  publishRunbook,
  retryRunbook,
} from '../../src/modules/runbooks/index.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { runbookDrivingOf } from './runbook-agent.ts';
import { world, type World, type WorldOptions } from './world.ts';

type Request = Omit<Parameters<typeof createRunbook>[1], 'repository'>;

export interface Runbooks {
  readonly w: World;
  /** Returns the number of the runbook. */
  begin(prompt: string, request?: Omit<Request, 'prompt'>): Promise<number>;
  follow(number: number, prompt: string, more?: { description?: string; labels?: string[] }): Promise<void>;
  cancel(number: number): Promise<void>;
  retry(number: number): Promise<void>;
  publish(number: number): Promise<void>;
  status(number: number): Promise<string>;
  /** A text such as `1.1 completed` for each leaf, in order. A failed leaf also has its error message. */
  leaves(number: number): Promise<string[]>;
  /** A text such as `1 open interlock/runbook-1 into main` for each pull request, in order. */
  pullRequests(number: number): Promise<string[]>;
  /** Number of its pull request at the host. */
  pullRequestNumber(number: number, ordinal?: number): Promise<number>;
  /** The pull request as the host shows it. */
  atHost(pullRequest: number): Promise<{
    title: string;
    body: string;
    labels: readonly string[];
    state: string;
    author: string;
    draft: boolean;
    baseBranch: string;
  }>;
  /** Waits until the leaves have these statuses. */
  become(number: number, ...leaves: string[]): Promise<void>;
  /** Waits until no more work can be done now. */
  rest(number: number): Promise<void>;
  log(number: number): Promise<string>;
  /** The actions of the runbook's events, oldest first. */
  events(number: number): Promise<string[]>;
  /** The subjects of the commits of a branch that its base lacks, oldest first. */
  commits(branch: string, base?: string): Promise<string[]>;
  file(branch: string, path: string): Promise<string | null>;
}

export type RunbookWorld = Runbooks & AsyncDisposable;

// Long enough for several leaves, each with a checkout, on a busy machine.
const longestWaitMs = 100_000;

/** Makes the world. The plain loop drives its runbooks. */
export async function runbookWorld(options: WorldOptions = {}): Promise<RunbookWorld> {
  const w = await world({ runsCi: false, ...options });
  const { sandbox } = await findSandbox({ allowPlain: true, kinds: ['plain'] });
  w.loop.runbooks.driving = runbookDrivingOf(sandbox);
  return {
    ...runbooksOf(w, async (isSo) => await w.until(isSo, longestWaitMs)),
    async [Symbol.asyncDispose]() {
      await w[Symbol.asyncDispose]();
    },
  };
}

/** `until` waits while the loop or Temporal drives the runbooks. */
export function runbooksOf(w: World, until: (isSo: () => Promise<boolean>) => Promise<void>): Runbooks {
  const { ctx } = w;
  const r: Runbooks = {
    w,
    begin: async (prompt, request = {}) => await createRunbook(ctx, { repository: w.repository, prompt, ...request }),
    follow: async (number, prompt, more = {}) => await continueRunbook(ctx, { number, prompt, ...more }),
    cancel: async (number) => void (await cancelRunbook(ctx, { number })),
    retry: async (number) => void (await retryRunbook(ctx, { number })),
    publish: async (number) => await publishRunbook(ctx, number),
    async status(number) {
      const [row] = await w.rows<{ status: string }>('select status from runbook where number = $1', [number]);
      return row?.status ?? 'none';
    },
    async leaves(number) {
      const rows = await w.rows<{ number: string; status: string; error_message: string | null }>(
        `select s.number, s.status, s.error_message from runbook_step s join runbook r on r.id = s.runbook_id
         where r.number = $1 and s.status is not null order by s.position`,
        [number],
      );
      return rows.map(({ number: leaf, status, error_message }) =>
        error_message === null ? `${leaf} ${status}` : `${leaf} ${status}: ${error_message}`,
      );
    },
    async pullRequests(number) {
      const rows = await w.rows<{ ordinal: number; state: string; branch: string; base_branch: string }>(
        `select o.ordinal, o.state, o.branch, o.base_branch from runbook_pull_request o join runbook r on r.id = o.runbook_id
         where r.number = $1 order by o.ordinal`,
        [number],
      );
      return rows.map(({ ordinal, state, branch, base_branch }) => `${ordinal} ${state} ${branch} into ${base_branch}`);
    },
    async pullRequestNumber(number, ordinal = 1) {
      const [row] = await w.rows<{ number: number | null }>(
        `select o.number from runbook_pull_request o join runbook r on r.id = o.runbook_id where r.number = $1 and o.ordinal = $2`,
        [number, ordinal],
      );
      return row?.number ?? 0;
    },
    async atHost(pullRequest) {
      const host = { accountId: ctx.accountId, id: w.repositoryId, ...w.repository };
      const found = await w.service.localHost.getPullRequest(host, pullRequest);
      if (found === null) throw new Error(`There is no pull request #${pullRequest}.`);
      return found;
    },
    become: async (number, ...leaves) => await until(async () => (await r.leaves(number)).join() === leaves.join()),
    rest: async (number) =>
      await until(async () => {
        const [row] = await w.rows<{ next_look_at: Date | null }>(
          'select next_look_at from runbook where number = $1',
          [number],
        );
        return row?.next_look_at === null;
      }),
    async log(number) {
      const rows = await w.rows<{ text: string }>(
        'select l.text from runbook_log l join runbook r on r.id = l.runbook_id where r.number = $1 order by l.id',
        [number],
      );
      return rows.map(({ text }) => text).join('');
    },
    events: async (number) =>
      (
        await w.rows<{ action: string }>(
          'select e.action from event e join runbook r on r.id = e.runbook_id where r.number = $1 order by e.id',
          [number],
        )
      ).map(({ action }) => action),
    async commits(branch, base = 'main') {
      const out = await w.git('log', '--reverse', '--format=%s', `${base}..${branch}`);
      return out === '' ? [] : out.split('\n');
    },
    file: async (branch, path) => await w.git('show', `${branch}:${path}`).catch(() => null),
  };
  return r;
}
