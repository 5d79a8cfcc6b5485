// Returns a function that removes secrets from a text, in their URL-encoded and JSON-escaped forms too. Apply it before
// the text is cut, because half a secret is not found.
import { maskSecrets } from '../providers/mask.ts';

export function redactorOf(secrets: Readonly<Record<string, string>>): (text: string) => string {
  const forms = Object.values(secrets).flatMap((value) => [
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
  ]);
  return (text) => maskSecrets(forms, text);
}
