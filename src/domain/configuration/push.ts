// Whether a pushed configuration takes effect, and the lines about it in the output of `git push` (docs/adr/0010).

/**
 * The push that contained the change. `past the host`: the change came without a push, for example by an import.
 * `unknown`: the change came by a landing, and no push to its pull requests is recorded.
 */
export type KnownPush = { readonly by: string; readonly mayConfigure: boolean } | 'past the host' | 'unknown';

export type ConfigurationReading =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'accepted'; readonly commit: string }
  /** `errors` have the format of interface 4.5. */
  | { readonly kind: 'refused'; readonly commit: string; readonly errors: readonly string[] };

/** Why the file is refused without reading it. Null: its content decides. */
export function decidePushRefusal(push: KnownPush): string | null {
  const cure = 'With that scope, push another change of the file, or send it to POST /api/v1/config';
  if (push === 'past the host') return null;
  if (push === 'unknown') return `no push of this change by a token with the scope config:write is known. ${cure}`;
  if (push.mayConfigure) return null;
  return `the token with which ${push.by} pushed the file lacks the scope config:write. ${cure}`;
}

/** Lines for the output of `git push`. */
export function configurationReadingLines(reading: ConfigurationReading): string[] {
  switch (reading.kind) {
    case 'unchanged':
      return [];
    case 'accepted':
      return ['Interlock: .service/config.yml is in force.'];
    case 'refused':
      return [
        'Interlock: .service/config.yml is refused. The configuration before it stays in force.',
        ...reading.errors.map((error) => `  ${error}`),
      ];
    default:
      return reading satisfies never;
  }
}
