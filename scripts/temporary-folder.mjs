// Chooses the folder for the databases, repositories and checkouts of a test run: in memory if the machine has enough.
import { spawnSync } from 'node:child_process';
// An import of `statfsSync` by name would fail on an old Node, which must load this file to print that it is too old.
import * as fs from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const tmpfs = 0x01021994;
const roomNeeded = 6 * 2 ** 30;

/** Makes a folder of the caller's own that other users may pass through. If TMPDIR is set, it is used unchanged. */
export function makeTemporaryFolder() {
  const parent = process.env.TMPDIR === undefined && canUseMemory() ? memory : tmpdir();
  const path = fs.mkdtempSync(join(parent, 'interlock-tests-'));
  fs.chmodSync(path, 0o755);
  return { path, remove: () => fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

function canUseMemory() {
  try {
    const { type, bavail, bsize } = fs.statfsSync(memory);
    return type === tmpfs && bavail * bsize >= roomNeeded && freemem() >= roomNeeded && canExecute(memory);
  } catch {
    return false;
  }
}

// Containers often mount it so that nothing in it can be executed, and checks are programs in checkouts.
function canExecute(parent) {
  const folder = fs.mkdtempSync(join(parent, 'interlock-probe-'));
  try {
    const program = join(folder, 'probe');
    fs.writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    return spawnSync(program).status === 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
