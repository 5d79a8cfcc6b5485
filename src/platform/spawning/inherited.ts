// Programs that this process starts inherit the descriptors with which this process was started: Node marks only the
// first sixteen as not inheritable.
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2_000_000;

/**
 * Closes every descriptor above 2 that started programs would inherit. Descriptors that this process opened itself are
 * marked close-on-exec and stay open. On systems without `/proc` (macOS) nothing is done, because libuv passes no
 * descriptors on.
 */
export function closeInheritedDescriptors(): void {
  for (const descriptor of openDescriptors()) {
    if (descriptor > 2 && isInheritable(descriptor)) closeSync(descriptor);
  }
}

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor with which the folder was read is closed by now.
    return false;
  }
}
