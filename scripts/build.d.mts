/** Lists each source with its size and time stamp. */
export function listSources(folder?: string): Record<string, string>;
