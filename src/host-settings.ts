// The settings of code hosts, from environment variables.
import { readFileSync } from 'node:fs';
import { type Committer, createCommitSigner, SigningKeyRefused } from './hosts/git/index.ts';
import { MirrorSettingRefused, readMirrorSettings, type MirrorSettings } from './hosts/github/index.ts';
import { StartError } from './launcher/start-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface HostSettings {
  readonly mirrors: MirrorSettings;
  /** Undefined: commits are not signed. */
  readonly committer: Committer | undefined;
  /** How often Interlock looks whether repositories of the local host need packing. Null: they are not packed. */
  readonly packEveryMs: number | null;
}

/** Throws StartError. Its message names the variable and says how to correct it. */
export function hostSettingsFrom(env: Environment): HostSettings {
  try {
    return { mirrors: readMirrorSettings(env), committer: readCommitter(env), packEveryMs: readPackEvery(env) };
  } catch (error) {
    if (error instanceof MirrorSettingRefused) throw new StartError(error.message);
    throw error;
  }
}

const usualPackMinutes = 60;
const mostPackMinutes = 10_080;

function readPackEvery(env: Environment): number | null {
  const text = env['LOCAL_PACK_MINUTES'] || String(usualPackMinutes);
  if (text === 'never') return null;
  const minutes = Number(text);
  if (/^\d{1,5}$/.test(text) && minutes >= 1 && minutes <= mostPackMinutes) return minutes * 60_000;
  throw new StartError(
    `LOCAL_PACK_MINUTES must be never, or a whole number of minutes from 1 to ${mostPackMinutes}, not ${JSON.stringify(text)}.`,
  );
}

function readCommitter(env: Environment): Committer | undefined {
  const file = env['COMMIT_SIGNING_KEY'];
  const email = env['COMMIT_SIGNING_EMAIL'];
  if (file === undefined && email === undefined) return undefined;
  if (file === undefined)
    throw new StartError('COMMIT_SIGNING_KEY is missing: the path of the key that signs for COMMIT_SIGNING_EMAIL.');
  if (email === undefined || !/^[^\s<>@]+@[^\s<>@]+$/.test(email))
    throw new StartError(
      'COMMIT_SIGNING_EMAIL must be the verified address of the user who has the public key of COMMIT_SIGNING_KEY.',
    );
  return { name: env['COMMIT_SIGNING_NAME'] ?? 'Interlock', email, sign: readSigner(file) };
}

function readSigner(file: string): (commit: string) => string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`COMMIT_SIGNING_KEY names ${file}, which cannot be read (${(error as Error).message}).`);
  }
  try {
    return createCommitSigner(text);
  } catch (error) {
    if (error instanceof SigningKeyRefused)
      throw new StartError(`COMMIT_SIGNING_KEY names ${file}, which cannot sign commits: ${error.message}.`);
    throw error;
  }
}
