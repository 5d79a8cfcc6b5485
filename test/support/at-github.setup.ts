// With `HOST=github`, skips the tests that run only on the local host, and says why.
import { basename } from 'node:path';
import { beforeEach } from 'vitest';
import { notAtGitHub } from './not-at-github.ts';

beforeEach(({ task, skip }) => {
  const reason = notAtGitHub[basename(task.file.filepath)]?.[task.name];
  skip(reason !== undefined, reason);
});
