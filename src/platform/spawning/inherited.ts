// A descriptor that this process was started with is inherited by every program it starts, and by what those start:
// Node marks only the first sixteen of them as its own.
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2_000_000;

/**
 * Closes every descriptor above 2 that a started program would have. What this process opens itself is marked to be
 * closed by then, and stays. Where there is no `/proc` (macOS) libuv hands on nothing.
 */
export function closeInheritedDescriptors(): void {
  for (const descriptor of openDescriptors()) {
    if (descriptor > 2 && isHandedOn(descriptor)) closeSync(descriptor);
  }
}

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function isHandedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The one by which the folder was read.
    return false;
  }
}
