export function nodeFlags(version: string): readonly string[];
