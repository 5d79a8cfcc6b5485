// Where a cluster's files live, and whose they are. PostgreSQL refuses to run as root, so root hands the cluster to an
// unprivileged user. That user must be able to walk to it: a data directory below a closed home (/root is 0700) keeps
// its cluster under /var/lib/interlock instead, and a file in the data directory says where.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

export interface DatabaseUser {
  readonly uid: number;
  readonly gid: number;
}

const systemWide = '/var/lib/interlock';
const locationFile = 'postgres-location';

/** Undefined when we are not root: the server then runs as ourselves. */
export function pickDatabaseUser(dataDir: string): DatabaseUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const cluster = knownCluster(dataDir);
  if (cluster !== null) {
    const { uid, gid } = statSync(cluster);
    if (uid !== 0) return { uid, gid };
  }
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['interlock', 'postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new StartError(
    'PostgreSQL does not run as root, and this machine has no user for it. Run `useradd --system interlock`, or give a server by --database-url.',
  );
}

/**
 * The folder that holds the cluster, made when it is missing and owned by `user`. One outside of the data directory is
 * never removed without being asked: its data directory may be moved, or on a volume that is not mounted.
 */
export async function clusterDirectory(dataDir: string, user: DatabaseUser | undefined): Promise<string> {
  const known = knownCluster(dataDir);
  if (known !== null) return known;
  const inside = join(dataDir, 'postgres');
  if (user === undefined || canEnter(dataDir, user)) return makeClusterDirectory(inside, user);
  const outside = join(systemWide, randomUUID());
  await mkdir(systemWide, { recursive: true, mode: 0o755 });
  await writeFile(join(dataDir, locationFile), outside);
  return makeClusterDirectory(outside, user);
}

/** For `--reset`: the cluster's files, wherever they are. The server must be down. */
export async function removeCluster(dataDir: string): Promise<void> {
  const cluster = knownCluster(dataDir);
  if (cluster !== null) await rm(cluster, { recursive: true, force: true });
  await rm(join(dataDir, locationFile), { force: true });
}

export function canEnter(folder: string, user: DatabaseUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** A file that only the database's user can read, for as long as `use` runs. */
export async function withSecretFile<T>(
  {
    folder,
    secret,
    user,
  }: { readonly folder: string; readonly secret: string; readonly user: DatabaseUser | undefined },
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(folder, `secret-${randomUUID()}`);
  await writeFile(path, secret, { mode: 0o600, flag: 'wx' });
  try {
    if (user) chownSync(path, user.uid, user.gid);
    return await use(path);
  } finally {
    await rm(path, { force: true });
  }
}

function knownCluster(dataDir: string): string | null {
  const location = join(dataDir, locationFile);
  const folder = existsSync(location) ? readFileSync(location, 'utf8').trim() : join(dataDir, 'postgres');
  return existsSync(folder) ? folder : null;
}

async function makeClusterDirectory(folder: string, user: DatabaseUser | undefined): Promise<string> {
  await mkdir(folder, { mode: 0o700 });
  if (user) await chown(folder, user.uid, user.gid);
  return folder;
}
