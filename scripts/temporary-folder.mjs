// Chooses the folder for the databases, repositories and checkouts of a test run. The folder is in memory if the machine
// has enough memory.
import { spawnSync } from 'node:child_process';
// An import of `statfsSync` by name would fail on an old Node. But an old Node must be able to load this file, so that
// it can print that it is too old.
import * as fs from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const tmpfs = 0x01021994;
const roomNeeded = 6 * 2 ** 30;

/** Makes a new folder that other users may pass through. If TMPDIR is set, the new folder is in TMPDIR. */
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

// Whether programs in the folder can be executed, as checks in checkouts are. Containers often mount /dev/shm so that
// they cannot.
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
