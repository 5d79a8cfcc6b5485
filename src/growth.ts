// `npm run doctor -- --growth`: reports the sizes of tables and folders, and for each kind of record the age of the
// oldest record and how long records are kept.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { retentionCatalogue, retainedKinds, type RetainedKind, type Retention } from './domain/retention/catalogue.ts';
import { findOldestOutput } from './hosts/local/index.ts';
import { logFiles } from './launcher/log-files.ts';
import { knownCluster } from './launcher/postgres-cluster.ts';
import type { Database } from './platform/database.ts';
import { retentionRules } from './retention.ts';

export interface Growth {
  /** The largest tables, largest first. `rows` is PostgreSQL's estimate. */
  readonly tables: readonly { readonly name: string; readonly bytes: number; readonly rows: number }[];
  /** The parts of the data directory that grow. A part is a folder, or several files together. */
  readonly folders: readonly { readonly name: string; readonly bytes: number }[];
  readonly kinds: readonly RecordAge[];
}

export interface RecordAge {
  readonly kind: RetainedKind;
  readonly what: string;
  readonly setting: string | null;
  /** How long records are kept. Null: for ever. */
  readonly days: number | null;
  /** The instant of the oldest record. Null: there are no records. */
  readonly oldest: Date | null;
  /** Whether the oldest record should have been deleted more than a day ago. */
  readonly isLate: boolean;
}

export interface GrowthPorts {
  readonly db: Database;
  readonly dataDir: string;
  readonly retention: Retention;
  readonly now: Date;
}

const maxTables = 15;
const dayMs = 24 * 3_600_000;

export async function measureGrowth({ db, dataDir, retention, now }: GrowthPorts): Promise<Growth> {
  const tables = await db.system.query<Growth['tables'][number]>(
    `select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes, greatest(c.reltuples, 0)::float8 as rows
     from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
     where c.relkind = 'r' order by 2 desc, 1 limit ${maxTables}`,
  );
  const folders = await Promise.all(
    Object.entries(partsOf(dataDir)).map(async ([name, paths]) => {
      const sizes = await Promise.all(paths.map(sizeOf));
      return { name, bytes: sizes.reduce((sum, size) => sum + size, 0) };
    }),
  );
  const kinds: RecordAge[] = [];
  for (const kind of retainedKinds) {
    const oldest = kind === 'check_output' ? await findOldestOutput(dataDir) : await readOldest(db, kind);
    const days = retention[kind];
    const isLate = days !== null && oldest !== null && now.getTime() - oldest.getTime() > (days + 1) * dayMs;
    kinds.push({
      kind,
      what: retentionCatalogue[kind].what,
      setting: retentionCatalogue[kind].setting,
      days,
      oldest,
      isLate,
    });
  }
  return { tables, folders, kinds };
}

/** The paths of each part of the data directory. */
function partsOf(dataDir: string): Readonly<Record<string, readonly string[]>> {
  const at = (...names: readonly string[]): string[] => names.map((name) => join(dataDir, name));
  const cluster = knownCluster(dataDir);
  return {
    git: at('git'),
    mirrors: at('mirrors'),
    logs: at('logs'),
    postgres: cluster === null ? [] : [cluster],
    'temporal.db': at('temporal.db', 'temporal.db-wal', 'temporal.db-shm'),
    '*.log': at(...logFiles),
  };
}

async function readOldest(db: Database, kind: Exclude<RetainedKind, 'check_output'>): Promise<Date | null> {
  const [row] = await db.system.query<{ min: Date | null }>(retentionRules[kind].oldest);
  return row?.min ?? null;
}

/** The size of all files below a path. Links are not followed. A file that disappears meanwhile is not counted. */
async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  let bytes = 0;
  for (const name of await readdir(path).catch(() => [])) bytes += await sizeOf(join(path, name));
  return bytes;
}

export function growthText({ tables, folders, kinds }: Growth, now: Date): string {
  const sizes = (title: string, entries: readonly { readonly name: string; readonly bytes: number }[]): string[] => [
    title,
    ...entries.map(({ name, bytes }) => `  ${megabytes(bytes).padStart(12)}  ${name}`),
  ];
  return [
    ...sizes('The largest tables', tables),
    ...sizes('The data directory', folders),
    'The oldest of each kind',
    ...kinds.map(
      ({ kind, days, oldest, setting, isLate }) =>
        `  ${ageOf(oldest, now).padStart(12)}  ${kind}: kept ${days === null ? 'for ever' : daysText(days)}${setting === null ? '' : ` (${setting})`}${isLate ? '. The oldest one is older than that: the log says why it was not deleted' : ''}`,
    ),
  ].join('\n');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function ageOf(oldest: Date | null, now: Date): string {
  return oldest === null ? 'none' : daysText(Math.max(0, Math.floor((now.getTime() - oldest.getTime()) / dayMs)));
}

function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
