// `<data>/runtime.json` says how other programs, such as verify and import, reach the database of a running Interlock.
// Only its owner can read the file, because it has the database's password.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readJsonFile, replaceFile } from './durable-file.ts';

export interface Runtime {
  readonly databaseUrl: string;
}

const runtimeFile = (dataDir: string): string => join(dataDir, 'runtime.json');

export async function writeRuntime(dataDir: string, runtime: Runtime): Promise<void> {
  await replaceFile(runtimeFile(dataDir), `${JSON.stringify(runtime)}\n`);
}

/** Null: no Interlock runs on the directory. After a kill -9 the file remains, but its database does not answer. */
export async function readRuntime(dataDir: string): Promise<Runtime | null> {
  return await readJsonFile<Runtime>(runtimeFile(dataDir));
}

export async function removeRuntime(dataDir: string): Promise<void> {
  await rm(runtimeFile(dataDir), { force: true });
}
