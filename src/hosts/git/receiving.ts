// A push is unpacked by `git receive-pack` within bounds. The kernel bounds what that costs, and a hook counts what the
// objects inflate to while they are still in quarantine: what is refused then is never part of the repository.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UnpackBounds } from '../../domain/runs/push-bounds.ts';

/** Larger ones are not held in memory as a whole while they are unpacked. */
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

/** How `git receive-pack` says that the hook refused, and that a program was ended for its processor time. */
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
    // Not there yet.
  }
  const fresh = `${path}.${randomUUID()}`;
  writeFileSync(fresh, hook, { mode: 0o755 });
  renameSync(fresh, path);
  return hooks;
}

export interface ReceivingCommand {
  /** A command line behind which the command line of git is put. */
  readonly before: readonly string[];
  /** The options of git that come before its command. */
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `prlimit` null: nothing bounds memory and processor time. */
export function receivingCommand(bounds: UnpackBounds, hooks: string, prlimit: string | null): ReceivingCommand {
  const { memoryBytes, processorSec, inflatedBytes } = bounds;
  // At the second limit the kernel ends a program that lived through the first.
  const cpu = `${processorSec}:${processorSec + 5}`;
  return {
    before: prlimit === null ? [] : [prlimit, '--core=0', `--data=${memoryBytes}`, `--cpu=${cpu}`, '--'],
    options: ['-c', `core.hooksPath=${hooks}`, '-c', `core.bigFileThreshold=${streamedFrom}`],
    env: { INTERLOCK_INFLATED_BYTES: String(inflatedBytes) },
  };
}

/** Lines of git's report with the reason for a bound in them. `complaints` is what git wrote beside it. */
export function explainRefusals(lines: readonly string[], complaints: string, bounds: UnpackBounds): string[] {
  const megabytes = Math.floor(bounds.inflatedBytes / 1_000_000);
  const tooLarge = `its objects inflate to more than ${megabytes} MB, which is the most for a push of its size`;
  const tooSlow = `unpacking it took more than ${bounds.processorSec} s of processor time`;
  return lines.map((line) => {
    const reported = line.replace(refusedByHook, tooLarge);
    return endedByKernel.test(complaints) ? reported.replace('unpacker error', tooSlow) : reported;
  });
}
