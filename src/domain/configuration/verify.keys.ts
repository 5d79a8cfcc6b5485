import type { z } from 'zod';
import { group, integer, key, listOf, oneOf, repositoryPath, someText } from './key.ts';
import { givenVariables } from '../previews/preview.ts';

export const defaultPreviewName = 'default';

// The name is part of the default path of the preview's skill file.
const previewName = () =>
  someText(100).regex(/^[^\s./\\]([^/\\]*[^\s/\\])?$/, {
    error: 'must be a name without slashes that does not begin with a dot or a space, nor end with a space',
  });

const secretKey = () =>
  someText(200)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' })
    .regex(new RegExp(`^(?!(?:${givenVariables.join('|')})$)`), {
      error: 'is set by the service itself: give the secret another name',
    });

const previewEntry = group({
  name: previewName().optional(),
  method: oneOf('sandbox', 'endpoint').prefault('sandbox'),
  verify_skill: repositoryPath().optional(),
  image: someText(500).optional(),
  port: integer(1, 65535).optional(),
  setup: repositoryPath().optional(),
  teardown: repositoryPath().optional(),
  secrets: listOf(secretKey()).optional(),
  wait_timeout_sec: integer(60, 7200).optional(),
  expires_default_sec: integer(300, 86400).optional(),
});
type WrittenEntry = z.output<typeof previewEntry>;

const sandboxKeys = ['image', 'port', 'setup', 'teardown', 'secrets'] as const;
const endpointKeys = ['wait_timeout_sec', 'expires_default_sec'] as const;

function* previewFaults(entries: readonly WrittenEntry[]): Generator<{ path: (string | number)[]; message: string }> {
  const seen = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const foreign = entry.method === 'endpoint' ? sandboxKeys : endpointKeys;
    for (const name of foreign) {
      if (entry[name] !== undefined)
        yield { path: [index, name], message: `is not a key of the method ${entry.method}` };
    }
    if (entry.method === 'sandbox') {
      for (const name of ['image', 'port'] as const)
        if (entry[name] === undefined) yield { path: [index, name], message: 'is required' };
    }
    if (entry.name === undefined && entries.length > 1)
      yield { path: [index, 'name'], message: 'is required when there are several previews' };
    else if (entry.name !== undefined && seen.has(entry.name))
      yield { path: [index, 'name'], message: 'must be unique' };
    if (entry.name !== undefined) seen.add(entry.name);
  }
}

const previews = listOf(previewEntry, { name: 'list: previews, interface 2.13', max: 50 });

/** The `verify` block (interface 2.13). */
export const verify = group({
  exempt_paths: key(listOf(someText(500), { name: 'list: path glob' }), {
    default: [],
    description: 'Globs of paths. A pull request that changes only such paths is not verified.',
    effectOnBuilds: 'other',
  }),
  preview: key(
    previews.superRefine((entries, context) => {
      for (const fault of previewFaults(entries)) context.addIssue({ code: 'custom', ...fault });
    }),
    {
      default: [],
      description:
        'The previews of a pull request. A verification uses the first usable preview. Empty: pull requests are not verified.',
      effectOnBuilds: 'other',
    },
  ),
});
