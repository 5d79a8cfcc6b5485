// Skip instructions are texts in a commit message that keep GitHub and similar CI from starting workflows for the
// commit.

const bracketed = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/gi;
const trailer = /^skip-checks:[ \t]*true[ \t]*$/gim;

/** The first skip instruction, as it is written. Null: there is none. */
export function findSkipInstruction(message: string): string | null {
  return [...message.matchAll(bracketed), ...message.matchAll(trailer)][0]?.[0].trim() ?? null;
}

/** Makes skip instructions ineffective, because CI must test every commit that Interlock makes. */
export function withoutSkipInstructions(message: string): string {
  return message.replace(bracketed, '($1)').replace(trailer, (instruction) => `(${instruction.trim()})`);
}
