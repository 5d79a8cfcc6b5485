// `<data>/runtime.json` says how other programs, such as verify and import, reach the database of a running Interlock.
// Only its owner can read the file, because it has the database's password.
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

/** Null: no Interlock runs on the directory. After a kill -9 the file remains, but its database does not answer. */
export async function readRuntime(dataDir: string): Promise<Runtime | null> {
  const text = await readFile(runtimeFile(dataDir), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Runtime);
}

export async function removeRuntime(dataDir: string): Promise<void> {
  await rm(runtimeFile(dataDir), { force: true });
}
