// Records the arguments of every git that this process and its spawner start: a program named git, first on PATH, writes
// them down and becomes the real git.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface GitLog {
  /** The arguments of each git since the last call. */
  take(): readonly (readonly string[])[];
  /** Takes the program from PATH. */
  end(): void;
}

export function recordGit(): GitLog {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-git-log-'));
  const file = join(folder, 'log');
  const path = process.env['PATH'] ?? '';
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  // One `printf` writes all of a line, so that lines of two processes do not mix.
  const lines = ['#!/bin/sh', `printf '%s\\037' "$@" '\\036' >> '${file}'`, `exec '${real}' "$@"`, ''];
  writeFileSync(file, '');
  writeFileSync(join(folder, 'git'), lines.join('\n'));
  chmodSync(join(folder, 'git'), 0o755);
  process.env['PATH'] = `${folder}${delimiter}${path}`;
  return {
    take() {
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, '');
      return text
        .split('\\036\u001f')
        .filter((line) => line !== '')
        .map((line) => line.split('\u001f').slice(0, -1));
    },
    end() {
      process.env['PATH'] = path;
      rmSync(folder, { recursive: true });
    },
  };
}
