// Texts from outside as PostgreSQL can store them: neither NUL nor lone surrogates. A lone surrogate arrives in JSON, or
// is left where a text is cut inside of an emoji. A statement with such a text fails each time that it is repeated.

/** Replaces NUL and lone surrogates. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

/** At most `max` UTF-16 code units of the text. */
export function cutText(text: string, max: number): string {
  return toStorableText(text.slice(0, max));
}

// Most values need no replacement, so their texts are not looked at one by one.
const mayBeUnstorable = /\\u(?:0000|d[89a-f])/;

/** The value as JSON for a column of the type jsonb. */
export function toStorableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!mayBeUnstorable.test(json)) return json;
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? toStorableText(inner) : inner));
}
