// Where a test run keeps its databases, repositories and checkouts: in memory when the machine has room for that.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const tmpfs = 0x01021994;
const roomNeeded = 6 * 2 ** 30;

/** A folder of the caller's own that anybody may pass through. A TMPDIR that is set is used as it is. */
export function makeTemporaryFolder() {
  const parent = process.env.TMPDIR === undefined && canUseMemory() ? memory : tmpdir();
  const path = mkdtempSync(join(parent, 'interlock-tests-'));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

function canUseMemory() {
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    return type === tmpfs && bavail * bsize >= roomNeeded && freemem() >= roomNeeded && canExecute(memory);
  } catch {
    return false;
  }
}

// Containers often mount it so that nothing in it can be executed, and checks are programs in checkouts.
function canExecute(parent) {
  const folder = mkdtempSync(join(parent, 'interlock-probe-'));
  try {
    const program = join(folder, 'probe');
    writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    return spawnSync(program).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
