// Measures a whole turn of a queue (read, plan, write). The line is long, and the builds of its first ten pull requests
// run. Before one kind of turn, a pull request and a check of another pull request have changed. Before the other kind,
// nothing has changed.
import { advanceQueue } from '../src/modules/queue/index.ts';
import { figure, type Figure } from './figures.ts';
import { withService } from './installation.ts';
import { fillLine } from './line.ts';
import { timed } from './timing.ts';

const aims: ReadonlyMap<number, number> = new Map([
  [1_000, 40],
  [10_000, 250],
]);

export async function measureTurns(sizes: readonly number[], times: number): Promise<Figure[]> {
  return await withService(async (installation) => {
    const { owner } = installation;
    const figures: Figure[] = [];
    for (const size of sizes) {
      const { ctx, queueId, repositoryId } = await fillLine(installation, {
        name: `of ${size}`,
        size,
        yaml: 'max_parallel_builds: 10',
      });
      await owner.query('vacuum analyze');
      let changed = 0;
      const turn = await timed(times, async () => {
        changed += 100;
        await owner.query(
          'update pull_request set approvals = approvals + 1 where account_id = $1 and queue_id = $2 and number = $3',
          [ctx.accountId, queueId, 1 + (changed % size)],
        );
        await owner.query(
          'update check_result set url = $3 where account_id = $1 and repository_id = $2 and commit = md5($4)',
          [ctx.accountId, repositoryId, `https://ci.example.test/${changed}`, `head${1 + ((changed + 50) % size)}`],
        );
        await owner.query('update queue set version = version + 1 where account_id = $1 and id = $2', [
          ctx.accountId,
          queueId,
        ]);
        await advanceQueue(ctx, queueId);
      });
      const idle = await timed(times, async () => await advanceQueue(ctx, queueId));
      const atMost = aims.get(size);
      const [row] = (
        await owner.query<{ building: number }>(
          "select count(*)::int as building from batch where account_id = $1 and state in ('making', 'building')",
          [ctx.accountId],
        )
      ).rows;
      figures.push(
        figure({
          what: `a turn with ${size} in line and ${row?.building ?? 0} builds, p50`,
          today: turn.p50,
          unit: 'ms',
          ...(atMost !== undefined && { atMost }),
        }),
        figure({ what: `CPU of a turn with ${size} in line, without PostgreSQL`, today: turn.cpu, unit: 'ms' }),
        figure({ what: 'a wake that changes nothing, p50', today: idle.p50, unit: 'ms' }),
      );
    }
    return figures;
  });
}
