// Measures the doctor: how long it takes to compare all invariants with the rows and the git repository of a line in
// which pull requests have landed and others wait.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { findingsText } from '../src/domain/health/invariants.ts';
import { compareWithInvariants } from '../src/modules/health/index.ts';
import { figure, type Figure } from './figures.ts';
import { withService } from './installation.ts';
import { fillLine } from './line.ts';
import { timed } from './timing.ts';

/** How many of the pull requests wait. The others have landed. */
const waiting = 100;
const atMostMs = 1_000;

export async function measureDoctor(pullRequests: number, times: number): Promise<Figure[]> {
  return await withService(async (installation) => {
    const { owner, service, dataDir } = installation;
    const yaml = 'max_parallel_builds: 10';
    const line = await fillLine(installation, { name: 'doctor', size: waiting, yaml });
    const commits = commitMany(
      join(dataDir, 'git', line.ctx.accountId, `${line.repositoryId}.git`),
      pullRequests - waiting,
    );
    await insertLandings(owner, line, commits);
    await owner.query('vacuum analyze');
    const compare = async (): Promise<void> => {
      const text = findingsText(await compareWithInvariants(service.ports, { scope: 'all' }));
      if (text !== null) throw new Error(text);
    };
    const { p50, cpu } = await timed(times, compare);
    const what = `the doctor compares all invariants, ${pullRequests - waiting} landed and ${waiting} in line`;
    return [
      figure({ what: `${what}, p50`, today: p50, unit: 'ms', atMost: atMostMs }),
      figure({ what: 'of which CPU of the process, without PostgreSQL and git', today: cpu, unit: 'ms' }),
    ];
  });
}

interface Commit {
  readonly commit: string;
  readonly tree: string;
  readonly parent: string;
}

/** Makes a repository whose main has this number of commits after its first one, each with a file of its own. */
function commitMany(directory: string, count: number): readonly Commit[] {
  mkdirSync(directory, { recursive: true });
  const git = (args: readonly string[], input?: string): string =>
    execFileSync('git', [...args], {
      cwd: directory,
      maxBuffer: 2 ** 26,
      ...(input === undefined ? {} : { input }),
    }).toString();
  git(['init', '-q', '--bare', '-b', 'main']);
  const author = 'committer Bench <bench@example.test> 1700000000 +0000';
  const text = Array.from(
    { length: count + 1 },
    (_, n) => `commit refs/heads/main\n${author}\ndata 6\nChange\nM 644 inline file-${n}.txt\ndata 2\nx\n\n`,
  );
  git(['fast-import', '--quiet'], text.join(''));
  return git(['log', '--reverse', '--format=%H %T %P', 'main'])
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [commit = '', tree = '', parent = ''] = line.split(' ');
      return { commit, tree, parent };
    });
}

/** Inserts what landings leave: pull requests, batches, builds, checks, proofs and events. */
async function insertLandings(
  owner: pg.Client,
  { ctx, repositoryId, queueId }: Awaited<ReturnType<typeof fillLine>>,
  commits: readonly Commit[],
): Promise<void> {
  const values = [ctx.accountId, repositoryId, queueId];
  const columns = [
    commits.map(({ commit }) => commit),
    commits.map(({ tree }) => tree),
    commits.map(({ parent }) => parent),
  ];
  await owner.query(
    `create temporary table landed as
     select n::int, ${waiting} + n::int as number, commit, tree, parent
     from unnest($1::text[], $2::text[], $3::text[]) with ordinality as c (commit, tree, parent, n)`,
    columns,
  );
  const statements = [
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch,
       base_branch, head_sha, url, status, queued_at, created_at, merged_at, merged_by_queue, merge_commit_sha)
     select $1, $2, $3, number, 'Change ' || number, 'ada', 'A', 'a@example.test', 'b' || number, 'main', md5('head' || number), '',
       'merged', now(), now(), now(), true, commit from landed`,
    `insert into batch (account_id, queue_id, repository_id, position, cause, mode, state, parent_commit, base_commit, strategy,
       batch_commit, build_keys_hash, group_message, commit, tree, tested_commit, created_at, ended_at, cleaned_up_at)
     select $1, $3, $2, -n, 'new', 'parallel', 'landed', parent, parent, 'squash', 'group', '', '', commit, tree, commit, now(), now(), now()
     from landed`,
    `insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email)
     select $1, b.id, 0, p.id, p.head_sha, '', '', '' from landed l
     join batch b on b.account_id = $1 and b.queue_id = $3 and b.position = -l.n
     join pull_request p on p.account_id = $1 and p.repository_id = $2 and p.number = l.number`,
    `insert into build (account_id, repository_id, commit, tree, base_commit, started_at, complete, complete_at)
     select $1, $2, commit, tree, parent, now(), true, now() from landed where $3::bigint is not null`,
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, started_at, completed_at)
     select $1, $2, commit, 'test', 1, 'success', now(), now() from landed where $3::bigint is not null`,
    `insert into landing (account_id, queue_id, repository_id, batch_id, commit, first_parent, tree, grade, landed_at)
     select $1, $3, $2, b.id, l.commit, l.parent, l.tree, 'exact', now() from landed l
     join batch b on b.account_id = $1 and b.queue_id = $3 and b.position = -l.n order by l.n`,
    `insert into landed_member (account_id, repository_id, pull_request_id, landing_id, pinned_head, own_commit)
     select $1, $2, p.id, g.id, p.head_sha, l.commit from landed l
     join landing g on g.account_id = $1 and g.queue_id = $3 and g.commit = l.commit
     join pull_request p on p.account_id = $1 and p.repository_id = $2 and p.number = l.number`,
    `insert into proof (account_id, queue_id, landing_id, digest, created_at, body)
     select $1, $3, g.id, md5(l.commit), now(), jsonb_build_object('commit', l.commit, 'tree', l.tree, 'firstParent', l.parent,
       'gate', null, 'evidence', jsonb_build_array(jsonb_build_object('commit', l.commit, 'tree', l.tree, 'checks',
         jsonb_build_array(jsonb_build_object('name', 'test', 'attempt', 1, 'conclusion', 'success')))))
     from landed l join landing g on g.account_id = $1 and g.queue_id = $3 and g.commit = l.commit where $2::bigint is not null`,
    `update event e set payload = jsonb_build_object('number', p.number, 'status', case e.action when 'opened' then 'open' else 'queued' end)
     from pull_request p where e.account_id = $1 and p.account_id = $1 and p.id = e.pull_request_id and p.repository_id = $2 and p.queue_id = $3`,
    `with head as (select coalesce(max(position), 0) as position from event where account_id = $1)
     insert into event (account_id, repository_id, queue_id, pull_request_id, action, at, position, payload)
     select $1, $2, $3, p.id, a.action, now(), head.position + row_number() over (order by l.n, a.at),
       jsonb_build_object('number', l.number, 'status', a.status)
     from head, landed l join pull_request p on p.account_id = $1 and p.repository_id = $2 and p.number = l.number,
       (values (1, 'opened', 'open'), (2, 'queued', 'queued'), (3, 'added_to_batch', 'tagged'), (4, 'top_of_queue', 'tagged'),
         (5, 'merged', 'merged')) a (at, action, status)
     order by l.n, a.at`,
  ];
  for (const statement of statements) await owner.query(statement, values);
}
