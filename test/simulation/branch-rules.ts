// Rules about queues of several base branches, and about stacks. They compare the rows as they are after a step.
import { hasRelease, hasStacks } from './configurations.ts';
import type { Installation } from './installation.ts';
import type { Promises } from './promises.ts';

export interface BranchRules {
  look(): Promise<readonly string[]>;
}

export function createBranchRules(i: Installation, { moved }: Promises): BranchRules {
  const stacked = new Set<string>();

  /** From its start to its end, a landing keeps its pull requests in its queue. */
  async function lookAtQueues(): Promise<string[]> {
    const rows = await i.kept.query<{ number: number; base: string }>(
      `select p.number, q.base_branch as base from intent n
       join batch_member m on m.account_id = n.account_id and m.batch_id = n.batch_id
       join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
       join queue q on q.account_id = p.account_id and q.id = p.queue_id
       where n.kind = 'land' and n.state = 'started' and p.queue_id <> n.queue_id order by p.number`,
    );
    return rows.map(({ number, base }) => `#${number} lands, and has moved to the queue of ${base}.`);
  }

  /**
   * When a landed pull request is shown as merged, those above it have the base branch of the landing, unless they have
   * landed too and are shown as merged next.
   */
  async function lookAtAbove(): Promise<string[]> {
    const rows = await i.kept.query<{ above: number; below: number; isDone: boolean }>(
      `select l.number as above, p.number as below, exists (
         select from intent n where n.account_id = p.account_id and n.pull_request_id = p.id
           and n.kind = 'conclude_pull_request' and n.state = 'done') as "isDone"
       from local_pull_request l
       join pull_request a on a.account_id = l.account_id and a.repository_id = l.repository_id and a.number = l.number
       join pull_request p on p.account_id = a.account_id and p.id = a.below_id and p.head_branch = l.base_branch
       where l.state = 'open' and a.status <> 'merged' order by l.number`,
    );
    const problems = rows.flatMap(({ above, below, isDone }) =>
      isDone && stacked.has(`${above} ${below}`) && !moved.has(above) && !moved.has(below)
        ? [`#${above} is still based on the branch of #${below}, which has landed.`]
        : [],
    );
    // The service may not have known of a pull request that the rules see for the first time.
    for (const { above, below, isDone } of rows) if (!isDone) stacked.add(`${above} ${below}`);
    return problems;
  }

  /** The turn after the deletion of a base branch ends all its builds, unless one of them lands. */
  async function lookAtDeleted(): Promise<string[]> {
    const rows = await i.kept.query<{ id: string; base: string }>(
      `select b.id, q.base_branch as base from batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
       where b.state in ('making', 'building') and q.base_tip is null and q.version = q.planned_version and q.halted_reason is null
         and not exists (select from intent n where n.account_id = q.account_id and n.queue_id = q.id and n.kind = 'land' and n.state = 'started')
       order by b.id`,
    );
    return rows.map(({ id, base }) => `Build ${id} goes on, and a turn has seen that the branch ${base} is gone.`);
  }

  return {
    look: async () => [
      ...(i.configurations.some(hasRelease) ? [...(await lookAtDeleted()), ...(await lookAtQueues())] : []),
      ...(i.configurations.every(hasStacks) ? await lookAtAbove() : []),
    ],
  };
}
