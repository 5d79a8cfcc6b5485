// Runbooks of a world at GitHub: verbs that request them, and what a user sees of them.
import { createRunbook } from '../../../src/modules/runbooks/index.ts';
import type { QueueWorld } from './queue-world.ts';

export interface PullRequestAtGitHub {
  readonly number: number;
  readonly title: string;
  /** The subjects of its commits, oldest first. */
  readonly commits: readonly string[];
}

export interface RunbooksAtGitHub {
  /** Returns the number of the runbook. */
  begin(prompt: string): Promise<number>;
  /** A text such as `1.1 completed` for each leaf. A failed leaf also has its error message. */
  leaves(number: number): Promise<string[]>;
  /** Waits until the runbook has no work left. */
  rest(number: number): Promise<void>;
  /** The pull requests of a branch, in every state. */
  atGitHub(branch: string): Promise<PullRequestAtGitHub[]>;
}

export function runbooksAtGitHub(w: QueueWorld): RunbooksAtGitHub {
  const { owner, name } = w.repository;
  return {
    begin: async (prompt) => await createRunbook(w.ctx, { repository: { owner, name }, prompt }),
    async leaves(number) {
      const rows = await w.rows<{ leaf: string; message: string | null }>(
        `select s.number || ' ' || s.status as leaf, s.error_message as message
         from runbook_step s join runbook r on r.id = s.runbook_id where r.number = $1 and s.status is not null order by s.position`,
        [number],
      );
      return rows.map(({ leaf, message }) => (message === null ? leaf : `${leaf}: ${message}`));
    },
    rest: async (number) =>
      await w.until(async () => {
        const [row] = await w.rows<{ next_look_at: Date | null }>(
          'select next_look_at from runbook where number = $1',
          [number],
        );
        return row?.next_look_at === null;
      }),
    async atGitHub(branch) {
      const { data } = await w.person.pulls.list({ ...w.place, state: 'all', head: `${w.place.owner}:${branch}` });
      return await Promise.all(
        data.map(async ({ number, title }) => {
          const { data: commits } = await w.person.pulls.listCommits({ ...w.place, pull_number: number });
          return { number, title, commits: commits.map(({ commit }) => commit.message.split('\n')[0] ?? '') };
        }),
      );
    },
  };
}
