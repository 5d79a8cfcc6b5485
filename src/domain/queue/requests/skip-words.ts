// Words in the message of a commit by which GitHub, and CI like it, starts no workflow for the commit.

const bracketed = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/gi;
const trailer = /^skip-checks:[ \t]*true[ \t]*$/gim;

/** The first such words, as they stand there. Null: there are none. */
export function findSkipWords(message: string): string | null {
  return [...message.matchAll(bracketed), ...message.matchAll(trailer)][0]?.[0].trim() ?? null;
}

/** The same message, by which CI runs: a commit of Interlock is tested, whatever the words of people say. */
export function withoutSkipWords(message: string): string {
  return message.replace(bracketed, '($1)').replace(trailer, (words) => `(${words.trim()})`);
}
