import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSecrets } from '../../src/first-account.ts';
import { readSecretFiles } from '../../src/launcher/secret-files.ts';

let folder = '';
const inFolder = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-secrets-'));
  writeFileSync(inFolder('url'), 'postgres://interlock:secret@db/interlock\n');
  writeFileSync(inFolder('spaces'), ' a secret with spaces \r\n');
  writeFileSync(inFolder('empty'), '\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

it('a secret is read from its file, without the line break at the end', () => {
  const env: Record<string, string | undefined> = {
    DATABASE_URL_FILE: inFolder('url'),
    INTERLOCK_SECRET_FILE: inFolder('spaces'),
    RUNBOOK_MODEL_API_KEY: 'given as it is',
  };
  readSecretFiles(env);
  expect(env).toEqual({
    DATABASE_URL: 'postgres://interlock:secret@db/interlock',
    INTERLOCK_SECRET: ' a secret with spaces ',
    RUNBOOK_MODEL_API_KEY: 'given as it is',
  });
});

it.each([
  ['missing', {}, 'DATABASE_URL_FILE names', 'cannot be read (ENOENT)'],
  ['empty', {}, 'DATABASE_URL_FILE names', 'which is empty'],
  ['url', { DATABASE_URL: 'postgres://elsewhere' }, 'DATABASE_URL and DATABASE_URL_FILE are both set', 'Remove one'],
] as const)('refuses the file `%s` with %j', (file, besides, ...sentences) => {
  const env = { DATABASE_URL_FILE: inFolder(file), ...besides };
  for (const sentence of sentences) expect(() => readSecretFiles(env)).toThrow(sentence);
});

it.each(['', '{"token', 'null'])(
  'secrets of the data directory that read %j are named, and not replaced',
  async (text) => {
    const file = inFolder('secrets.json');
    writeFileSync(file, text);
    await expect(readSecrets(folder)).rejects.toThrow(`${file} is empty or damaged. Restore it from a backup.`);
    rmSync(file);
    const made = await readSecrets(folder);
    expect(await readSecrets(folder)).toEqual(made);
    rmSync(file);
  },
);
