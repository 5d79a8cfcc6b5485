// Secrets are taken out of what an app showed before it is cut, also as addresses and JSON spell them.
import { masked } from '../providers/mask.ts';

export function redactorOf(secrets: Readonly<Record<string, string>>): (text: string) => string {
  const forms = Object.values(secrets).flatMap((value) => [
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
  ]);
  return (text) => masked(forms, text);
}
