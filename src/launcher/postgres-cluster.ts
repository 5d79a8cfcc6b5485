// The folder and the owner of a cluster's files. PostgreSQL refuses to run as root, so root gives the cluster to an
// unprivileged user. This user must be able to enter the folder. If the data directory is below a closed folder (/root
// is 0700), the cluster is under /var/lib/interlock instead, and a file in the data directory has the path.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './durable-file.ts';
import { StartError } from './start-error.ts';

export interface DatabaseUser {
  readonly uid: number;
  readonly gid: number;
}

const systemWide = '/var/lib/interlock';
const locationFile = 'postgres-location';

/** Written after each start that succeeded. */
export const portFileOf = (dataDir: string): string => join(dataDir, 'postgres-port');

/** Whether initdb has finished in this folder. */
export const isCluster = (folder: string): boolean => existsSync(join(folder, 'data', 'PG_VERSION'));

/** Throws StartError if the cluster of an earlier start is not there, so that no empty cluster takes its place. */
export function assertClusterPresent(dataDir: string): void {
  const folder = placeOfCluster(dataDir);
  if (existsSync(portFileOf(dataDir)) && !isCluster(folder))
    throw new StartError(
      `${folder} does not contain the database that an earlier start made. If it is on a volume, mount the volume; if it was moved, move it back. To begin with an empty database, delete all data with --reset.`,
    );
}

/** The user that the server runs as. Undefined: this process is not root, and the server runs as the same user. */
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
 * The folder of the cluster, which belongs to `user`. It is made if it does not exist. A folder outside of the data
 * directory is only removed by `--reset`, because its data directory may have been moved, or its volume may not be
 * mounted.
 */
export async function clusterDirectory(dataDir: string, user: DatabaseUser | undefined): Promise<string> {
  const known = knownCluster(dataDir);
  if (known !== null) return known;
  const inside = join(dataDir, 'postgres');
  if (user === undefined || canEnter(dataDir, user)) return makeClusterDirectory(inside, user);
  const outside = join(systemWide, randomUUID());
  await mkdir(systemWide, { recursive: true, mode: 0o755 });
  await replaceFile(join(dataDir, locationFile), outside);
  return makeClusterDirectory(outside, user);
}

/** For `--reset`: removes the cluster's files, wherever they are. The server must be stopped. */
export async function removeCluster(dataDir: string): Promise<void> {
  const cluster = knownCluster(dataDir);
  if (cluster !== null) await rm(cluster, { recursive: true, force: true });
  for (const file of [join(dataDir, locationFile), portFileOf(dataDir)]) await rm(file, { force: true });
}

export function canEnter(folder: string, user: DatabaseUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** Writes a secret into a file that only the database's user can read, and removes the file when `use` has ended. */
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

export function knownCluster(dataDir: string): string | null {
  const folder = placeOfCluster(dataDir);
  return existsSync(folder) ? folder : null;
}

function placeOfCluster(dataDir: string): string {
  const location = join(dataDir, locationFile);
  return existsSync(location) ? readFileSync(location, 'utf8').trim() : join(dataDir, 'postgres');
}

async function makeClusterDirectory(folder: string, user: DatabaseUser | undefined): Promise<string> {
  await mkdir(folder, { mode: 0o700 });
  if (user) await chown(folder, user.uid, user.gid);
  return folder;
}
