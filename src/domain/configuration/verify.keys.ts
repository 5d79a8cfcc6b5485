import type { z } from 'zod';
import { group, integer, listOf, notYet, oneOf, repositoryPath, someText } from './key.ts';

const secretName = () =>
  someText(200).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' });

const previewEntry = group({
  name: someText(100).optional(),
  method: oneOf('sandbox', 'endpoint').prefault('sandbox'),
  verify_skill: repositoryPath().optional(),
  image: someText(500).optional(),
  port: integer(1, 65535).optional(),
  setup: repositoryPath().optional(),
  teardown: repositoryPath().optional(),
  secrets: listOf(secretName()).optional(),
  wait_timeout_sec: integer(60, 7200).optional(),
  expires_default_sec: integer(300, 86400).optional(),
});
type PreviewEntry = z.output<typeof previewEntry>;

const sandboxKeys = ['image', 'port', 'setup', 'teardown', 'secrets'] as const;
const endpointKeys = ['wait_timeout_sec', 'expires_default_sec'] as const;

function* previewFaults(entries: readonly PreviewEntry[]): Generator<{ path: (string | number)[]; message: string }> {
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
    const name = entry.name ?? 'default';
    if (seen.has(name)) yield { path: [index, 'name'], message: 'must be unique' };
    seen.add(name);
  }
}

const previews = listOf(previewEntry, { name: 'list: previews, interface 2.13', most: 50 });

/** The `verify` block (interface 2.13). */
export const verify = group({
  exempt_paths: notYet(listOf(someText(500)), {
    default: [],
    description: 'Globs. A pull request that touches nothing else is not verified.',
    mark: 'other',
    accepts: [[]],
  }),
  preview: notYet(
    previews.superRefine((entries, context) => {
      for (const fault of previewFaults(entries)) context.addIssue({ code: 'custom', ...fault });
    }),
    {
      default: [],
      description: 'The environments a verification runs in; the first one whose method is usable governs.',
      mark: 'other',
      accepts: [[]],
    },
  ),
});
