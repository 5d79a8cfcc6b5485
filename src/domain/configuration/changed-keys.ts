// Finds the keys that have different values in two configurations. A key that the file leaves out has its default as
// value, or no value if the key has no default.
import { listKeys, type EffectOnBuilds } from './key.ts';
import { configurationSchema, type Configuration } from './keys.ts';

export interface ChangedKey {
  /** The path of the key, joined by dots. */
  readonly key: string;
  readonly mark: EffectOnBuilds;
  /** The value as JSON. Null: no value. */
  readonly before: string | null;
  readonly after: string | null;
}

const keys = listKeys(configurationSchema);

export function changedKeys(before: Configuration, after: Configuration): ChangedKey[] {
  return keys.flatMap(({ path, effectOnBuilds }) => {
    const [was, is] = [valueAt(before, path), valueAt(after, path)];
    return was === is ? [] : [{ key: path.join('.'), mark: effectOnBuilds, before: was, after: is }];
  });
}

function valueAt(configuration: Configuration, path: readonly string[]): string | null {
  const value = path.reduce<unknown>(
    (group, name) => (group as Readonly<Record<string, unknown>> | undefined)?.[name],
    configuration,
  );
  return value === undefined ? null : JSON.stringify(value);
}
