// Skip instructions: text in the message of a commit by which GitHub, and CI like it, starts no workflow for it.

const bracketed = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/gi;
const trailer = /^skip-checks:[ \t]*true[ \t]*$/gim;

/** The first skip instruction, as it stands there. Null: there is none. */
export function findSkipInstruction(message: string): string | null {
  return [...message.matchAll(bracketed), ...message.matchAll(trailer)][0]?.[0].trim() ?? null;
}

/** The same message without instructions to skip CI, because CI must test every commit that Interlock makes. */
export function withoutSkipInstructions(message: string): string {
  return message.replace(bracketed, '($1)').replace(trailer, (instruction) => `(${instruction.trim()})`);
}
