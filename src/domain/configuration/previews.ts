// The previews of a configuration, with their defaults (interface 2.13).
import type { PreviewEntry } from '../previews/preview.ts';
import type { Configuration } from './keys.ts';
import { defaultPreviewName } from './verify.keys.ts';

const defaultSetup = '.service/scripts/preview-setup.sh';
const defaultWaitTimeoutSec = 1800;
const defaultExpiresSec = 7200;

type WrittenEntry = Configuration['verify']['preview'][number];

/** The previews in the order of the configuration. Empty: pull requests are not verified. */
export function previewEntries({ verify }: Configuration): readonly PreviewEntry[] {
  return verify.preview.map(withDefaults);
}

/** Globs of paths that need no verification. */
export function exemptPaths({ verify }: Configuration): readonly string[] {
  return verify.exempt_paths;
}

function withDefaults(entry: WrittenEntry): PreviewEntry {
  const name = entry.name ?? defaultPreviewName;
  const verifySkill = entry.verify_skill ?? `.service/verify/skills/${name}.md`;
  if (entry.method === 'endpoint')
    return {
      method: 'endpoint',
      name,
      waitTimeoutSec: entry.wait_timeout_sec ?? defaultWaitTimeoutSec,
      expiresDefaultSec: entry.expires_default_sec ?? defaultExpiresSec,
      verifySkill,
    };
  const { image, port } = entry;
  if (image === undefined || port === undefined)
    throw new Error(`The preview ${name} has no image or no port, so it was not validated.`);
  return {
    method: 'sandbox',
    name,
    image,
    port,
    setup: entry.setup ?? defaultSetup,
    teardown: entry.teardown ?? null,
    secrets: [...new Set(entry.secrets)],
    verifySkill,
  };
}
