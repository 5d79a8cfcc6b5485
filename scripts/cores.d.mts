export function coresOf(list: string): number[];
export function findCores(): number[];
export function onCore(core: number | undefined, command: readonly string[]): readonly string[];
