// `<data>/runtime.json`: how the other programs (verify, import) reach the database of a running Interlock. Readable by
// only its owner can read, because it has the database's password.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Runtime {
  readonly databaseUrl: string;
}

const runtimeFile = (dataDir: string): string => join(dataDir, 'runtime.json');

export async function writeRuntime(dataDir: string, runtime: Runtime): Promise<void> {
  const draft = `${runtimeFile(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(runtime)}\n`, { mode: 0o600 });
  await rename(draft, runtimeFile(dataDir));
}

/** Null while nothing runs on the directory. One left by a kill -9 names a database that does not answer. */
export async function readRuntime(dataDir: string): Promise<Runtime | null> {
  const text = await readFile(runtimeFile(dataDir), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Runtime);
}

export async function removeRuntime(dataDir: string): Promise<void> {
  await rm(runtimeFile(dataDir), { force: true });
}
