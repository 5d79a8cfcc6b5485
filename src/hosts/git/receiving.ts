// Limits what a push may cost when `git receive-pack` unpacks it. The kernel limits memory and processor time. A hook
// adds up the inflated sizes of the objects while they are in quarantine, so the objects of a refused push never become
// part of the repository.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UnpackBounds } from '../../domain/runs/push-bounds.ts';

/** git streams larger objects when it unpacks them, instead of reading them into memory. */
const streamedFrom = '32m';

const hook = `#!/bin/sh
# Written by Interlock. Refuses a push whose objects inflate to more than INTERLOCK_INFLATED_BYTES.
test -n "$GIT_QUARANTINE_PATH" || exit 0
unset GIT_ALTERNATE_OBJECT_DIRECTORIES
{
  git cat-file --batch-all-objects --unordered --batch-check='%(deltabase) %(objectsize)' && echo complete
} | awk -v most="$INTERLOCK_INFLATED_BYTES" '
  $1 == "complete" { complete = 1; next }
  $1 ~ /^0+$/ { sum += $2; next }
  $2 > largest { largest = $2 }
  END { exit !(complete && sum + largest <= most) }'
`;

/**
 * Texts of `git receive-pack` that report a refusal by the hook, and a program that was killed because of its processor
 * time.
 */
const refusedByHook = 'pre-receive hook declined';
const endedByKernel = /died of signal 24\b/;

/** Writes the hook below the folder of git's configuration. Returns the folder of the hook. */
export function writeHook(folder: string): string {
  const hooks = join(folder, 'hooks');
  const path = join(hooks, 'pre-receive');
  mkdirSync(hooks, { recursive: true });
  try {
    if (readFileSync(path, 'utf8') === hook) return hooks;
  } catch {
    // The file does not exist yet.
  }
  const fresh = `${path}.${randomUUID()}`;
  writeFileSync(fresh, hook, { mode: 0o755 });
  renameSync(fresh, path);
  return hooks;
}

export interface ReceivingCommand {
  /** The beginning of the command line, before `git`. */
  readonly before: readonly string[];
  /** The options of git, before its command. */
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** If `prlimit` is null, memory and processor time are not limited. */
export function receivingCommand(bounds: UnpackBounds, hooks: string, prlimit: string | null): ReceivingCommand {
  const { memoryBytes, processorSec, inflatedBytes } = bounds;
  // At the first limit the kernel sends a signal, and at the second limit it kills the program.
  const cpu = `${processorSec}:${processorSec + 5}`;
  return {
    before: prlimit === null ? [] : [prlimit, '--core=0', `--data=${memoryBytes}`, `--cpu=${cpu}`, '--'],
    options: ['-c', `core.hooksPath=${hooks}`, '-c', `core.bigFileThreshold=${streamedFrom}`],
    env: { INTERLOCK_INFLATED_BYTES: String(inflatedBytes) },
  };
}

/**
 * Replaces git's text about an exceeded bound by the reason, in the lines of git's report on a push. `errorOutput` is
 * what git printed besides the report.
 */
export function explainRefusals(lines: readonly string[], errorOutput: string, bounds: UnpackBounds): string[] {
  const megabytes = Math.floor(bounds.inflatedBytes / 1_000_000);
  const tooLarge = `its objects inflate to more than ${megabytes} MB, the limit for a push of this size`;
  const tooSlow = `unpacking it took more than ${bounds.processorSec} s of processor time`;
  return lines.map((line) => {
    const reported = line.replace(refusedByHook, tooLarge);
    return endedByKernel.test(errorOutput) ? reported.replace('unpacker error', tooSlow) : reported;
  });
}
