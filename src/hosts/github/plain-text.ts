// Text that people and Apps write at GitHub, without control characters: PostgreSQL stores no NUL, a title is one line
// of a commit's message, and terminals obey escapes.

/** One line. Each run of control characters, with the spaces beside it, becomes a space. */
export function plainLine(text: string): string {
  return text.replaceAll(/\s*\p{Cc}[\s\p{Cc}]*/gu, ' ').trim();
}

/** Several lines: tabs and ends of lines stay. */
export function plainText(text: string): string {
  return text.replaceAll(/(?![\n\r\t])\p{Cc}/gu, '');
}
