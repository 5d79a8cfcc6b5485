// Whether a configuration that came by a push is taken over, and what whoever pushed it is told (docs/adr/0055).

/** What is known of the push that brought the change. Null: it came past the host, as an import does. */
export type KnownPush = { readonly by: string; readonly mayConfigure: boolean } | null;

export type ConfigurationReading =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'accepted'; readonly commit: string }
  /** `errors` as interface 4.5 writes them. */
  | { readonly kind: 'refused'; readonly commit: string; readonly errors: readonly string[] };

/** Why nothing of the file is taken over, whatever it says; null: it is judged by what it says. */
export function decidePushRefusal(push: KnownPush): string | null {
  if (push === null || push.mayConfigure) return null;
  return `the token of ${push.by} that pushed it lacks the scope config:write. With that scope, push another change of the file, or send it to POST /api/v1/config`;
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
