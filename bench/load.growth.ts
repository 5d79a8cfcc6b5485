// Counts what an installation stores and holds open: rows of each table, refs, files, open descriptors and workflows.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import type { Program } from './program.ts';

export type Counts = ReadonlyMap<string, number>;

/**
 * What must not be more than before when every pull request has landed and is cleaned up, and no request is under way.
 */
const passing: Readonly<Record<string, string>> = {
  'open batches': 'select count(*)::int from batch where cleaned_up_at is null',
  'open intents': "select count(*)::int from intent where state in ('planned', 'started')",
  'checks that have not ended': "select count(*)::int from local_check_run where state <> 'completed'",
  'hints of the host': 'select count(*)::int from host_hint',
  'events without a position': 'select count(*)::int from event where position is null',
};

export async function countAll(program: Program): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const [what, text] of Object.entries(passing)) counts.set(what, await countRows(program, text));
  const tables = await program.rows<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r' order by 1`,
  );
  for (const { name } of tables)
    counts.set(`rows of ${name}`, await countRows(program, `select count(*)::int from ${name}`));
  for (const [kind, number] of await countRefs(program)) counts.set(kind, number);
  for (const folder of ['git', 'logs', 'mirrors'])
    counts.set(`files in ${folder}`, (await filesBelow(join(program.dataDir, folder))).length);
  const temporary = await readdir(tmpdir());
  counts.set('folders of runs', temporary.filter((name) => name.startsWith(`interlock-run-${program.pid}-`)).length);
  counts.set('open descriptors of the service', (await readdir(`/proc/${program.pid}/fd`).catch(() => [])).length);
  counts.set('threads of the service', (await readdir(`/proc/${program.pid}/task`).catch(() => [])).length);
  counts.set('running workflows', await countWorkflows(program));
  return counts;
}

async function countRows({ rows }: Program, text: string): Promise<number> {
  return (await rows<{ count: number }>(text))[0]?.count ?? 0;
}

/** Refs by the beginning of their names. Branches of bot pull requests are a kind of their own. */
async function countRefs({ dataDir }: Program): Promise<Counts> {
  const counts = new Map<string, number>();
  const heads = (await filesBelow(join(dataDir, 'git'))).filter((path) => path.endsWith('/HEAD'));
  for (const head of heads) {
    const { stdout } = await promisify(execFile)(
      'git',
      ['-c', 'safe.directory=*', '--git-dir', head.slice(0, -'/HEAD'.length), 'for-each-ref', '--format=%(refname)'],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    for (const ref of stdout.split('\n').filter((name) => name !== '')) {
      const parts = ref.split('/');
      const isBot = ref.startsWith('refs/heads/mq-');
      const kind = `refs ${isBot ? 'refs/heads/mq-*' : parts.slice(0, parts[1] === 'interlock' ? 3 : 2).join('/')}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  }
  return counts;
}

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function countWorkflows({ temporalAddress }: Program): Promise<number> {
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const client = new Client({ connection, namespace: 'interlock' });
    return (await client.workflow.count("ExecutionStatus = 'Running'")).count;
  } finally {
    await connection.close();
  }
}

/** Kinds of which there may be a few more at one moment than at another. */
const allowed: ReadonlyMap<string, number> = new Map([
  ['open descriptors of the service', 20],
  ['threads of the service', 4],
  ['running workflows', 2],
]);

const mustNotGrow = [...Object.keys(passing), 'refs refs/heads/mq-*', 'folders of runs', ...allowed.keys()];

/** What grew although it must not, as sentences. */
export function leftovers(before: Counts, after: Counts): string[] {
  return mustNotGrow.flatMap((kind) => {
    const [from, to] = [before.get(kind) ?? 0, after.get(kind) ?? 0];
    return to > from + (allowed.get(kind) ?? 0) ? [`${kind}: ${from}, now ${to}`] : [];
  });
}

/** The kinds whose number changed, the largest growth first, with the growth for each pull request that has landed. */
export function growth(before: Counts, after: Counts, landed: number): readonly (readonly string[])[] {
  return [...after]
    .map(([kind, to]) => ({ kind, from: before.get(kind) ?? 0, to }))
    .filter(({ from, to }) => to !== from)
    .toSorted((a, b) => b.to - b.from - (a.to - a.from))
    .map(({ kind, from, to }) => [
      kind,
      String(from),
      String(to),
      landed === 0 ? '' : ((to - from) / landed).toFixed(2),
    ]);
}
