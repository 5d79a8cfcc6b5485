// Measures what it costs to cancel a line of deployments at once, as a rollback does, and as a deployment does that
// supersedes the deployments before it.
import type { Context } from '../src/context.ts';
import { createDeployment } from '../src/modules/releases/index.ts';
import { withInstallation, type BenchInstallation } from './installation.ts';
import { elapsedMs, ms, table } from './timing.ts';

const place = { project: 'shop', environment: 'production', version: 'v1-rc1' } as const;

/** The lengths are measured in turn, so that a disturbance of the machine affects all lengths. */
export async function benchReleases(sizes: readonly number[], times: number): Promise<void> {
  await withInstallation(async (installation) => {
    const lines: Line[] = [];
    for (const size of sizes) lines.push({ size, samples: [], ...(await open(installation, size)) });
    for (let n = -1; n < times; n += 1) {
      for (const { ctx, environmentId, size, samples } of lines) {
        await lineUp(installation, { ctx, environmentId, size });
        const before = process.cpuUsage();
        const took = await elapsedMs(async () => await createDeployment(ctx, { ...place, supersede: true }));
        const { user, system } = process.cpuUsage(before);
        if (n >= 0) samples.push({ took, cpu: (user + system) / 1000 });
      }
    }
    console.log(table(['deployments canceled', 'time', 'CPU of our process', 'time for each'], lines.map(rowOf)));
  });
}

interface Line {
  readonly size: number;
  readonly ctx: Context;
  readonly environmentId: string;
  readonly samples: { readonly took: number; readonly cpu: number }[];
}

function rowOf({ size, samples }: Line): string[] {
  const took = median(samples.map((sample) => sample.took));
  return [String(size), ms(took), ms(median(samples.map((sample) => sample.cpu))), ms(took / size)];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** An account with an environment, and a candidate that is ready. */
async function open(
  { owner, account, repository }: BenchInstallation,
  size: number,
): Promise<Pick<Line, 'ctx' | 'environmentId'>> {
  const ctx: Context = { ...(await account(`of ${size}`)), wake: async () => {}, eventsWritten: () => {} };
  const repositoryId = await repository(ctx, 'shop');
  const { rows } = await owner.query<{ id: string }>(
    `with project as (
       insert into release_project (account_id, name, repository_id, created_at) values ($1, $3, $2, now()) returning id),
     release as (
       insert into release (account_id, project_id, version, created_at) select $1, id, 'v1', now() from project returning id),
     candidate as (
       insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at)
       select $1, project.id, release.id, $5, 1, repeat('c', 40), $2, 'ready', 'ada@example.test', now() from project, release)
     insert into environment (account_id, project_id, name, position, tier, provider, created_at)
     select $1, id, $4, 1, 'production', '{"kind": "none"}', now() from project returning id`,
    [ctx.accountId, repositoryId, place.project, place.environment, place.version],
  );
  return { ctx, environmentId: rows[0]?.id ?? '' };
}

/** Fills the line up to `size` pending deployments. One of them is the deployment that superseded the line before. */
async function lineUp(
  { owner }: BenchInstallation,
  { ctx, environmentId, size }: Pick<Line, 'ctx' | 'environmentId' | 'size'>,
): Promise<void> {
  await owner.query(
    `insert into deployment (account_id, environment_id, candidate_id, kind, status, actor, created_at, status_at)
     select $1, $2, c.id, 'forward', 'pending', 'ada@example.test', now(), now() from release_candidate c,
       generate_series(1, $3 - (select count(*)::int from deployment where account_id = $1 and environment_id = $2 and status = 'pending'))
     where c.account_id = $1`,
    [ctx.accountId, environmentId, size],
  );
}
