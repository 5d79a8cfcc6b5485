// Small files of the data directory that stay whole if the machine loses power: an old content or a new one, and never
// an empty file. Only their owner can read them.
import { link, open, readFile, rename, rm } from 'node:fs/promises';

/** Writes a file and waits until it is on the disk. The file may be incomplete meanwhile. */
export async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file, which replaces an older one at once. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = draftOf(file);
  await writeSynced(draft, text);
  await rename(draft, file);
}

/** Writes a file that does not exist yet. Fails if it exists. */
export async function createFile(file: string, text: string): Promise<void> {
  const draft = draftOf(file);
  await writeSynced(draft, text);
  try {
    await link(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The content of a JSON file. Null: the file does not exist, or cannot be read, as after a loss of power. */
export async function readJsonFile<T>(file: string): Promise<T | null> {
  return parseJson(await readFile(file, 'utf8').catch(() => '')) as T | null;
}

/** Null: the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function draftOf(file: string): string {
  return `${file}.${process.pid}`;
}
