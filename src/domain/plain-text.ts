// Removes control characters from texts of people and Apps at GitHub, and from errors that name keys of a user's file.
// PostgreSQL cannot store NUL, a title must be one line of a commit message, and terminals interpret escape sequences.

/** Makes one line. Each sequence of control characters, with the spaces around it, becomes one space. */
export function plainLine(text: string): string {
  return text.replaceAll(/\s*\p{Cc}[\s\p{Cc}]*/gu, ' ').trim();
}

/** Keeps several lines. Tabs and line breaks stay. */
export function plainText(text: string): string {
  return text.replaceAll(/(?![\n\r\t])\p{Cc}/gu, '');
}
