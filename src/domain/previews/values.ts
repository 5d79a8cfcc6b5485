// Values in the texts of a step: `{{name}}` was captured earlier, `{{secret.NAME}}` is a secret of the preview.

export interface Values {
  readonly captured: ReadonlyMap<string, string>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** The message names the missing value and how to provide it. */
export class ValueMissing extends Error {}

export function withValues(text: string, { captured, secrets }: Values): string {
  return text.replaceAll(
    /\{\{\s*(secret\.)?([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g,
    (_, isSecret: string | undefined, name: string) => {
      const value =
        isSecret === undefined ? captured.get(name) : Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      if (value !== undefined) return value;
      throw new ValueMissing(
        isSecret === undefined
          ? `There is no value ${name}: capture it in an earlier request.`
          : `The preview has no secret ${name}: name the secret in the configuration of the preview, or register it with the preview.`,
      );
    },
  );
}
