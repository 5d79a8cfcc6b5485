// What a commit of a runbook may change, judged by the changes that git reports.
import { fc } from '../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { isGitFolder, pathFault } from '../../src/domain/runbooks/path.ts';
import { changePolicy, judgeChanges, type JudgedChange } from '../../src/domain/runbooks/policy.ts';

const policy = changePolicy(false);

function file(path: string, more: Partial<JudgedChange> = {}): JudgedChange {
  return { path, mode: '100644', bytes: 10, target: null, ...more };
}

function link(path: string, target: string): JudgedChange {
  return { path, mode: '120000', bytes: target.length, target };
}

describe('a change of a runbook', () => {
  test.each([
    [file('src/index.ts')],
    [file('bin/run', { mode: '100755' })],
    [file('.gitignore')],
    [file('.github/ISSUE_TEMPLATE.md')],
    [file('docs/workflows/ci.yml')],
    [file('src/CODEOWNERS')],
    [file('gone.ts', { mode: null, bytes: null })],
    [file('grün/日本.txt')],
    [file('a b/c$d.txt')],
    [link('a/latest', 'v2')],
    [link('a/b/up', '../../README.md')],
    [link('a/b/top', '../..')],
    [link('here', '.')],
    [link('folder', 'src/')],
  ])('is allowed: %j', (change) => {
    expect(judgeChanges([change], policy)).toBeNull();
  });

  test.each([
    [file('.github/workflows/ci.yml'), 'a workflow file'],
    [file('.github/workflows/ci.yml', { mode: null, bytes: null }), 'a workflow file'],
    [file('.GitHub/Workflows/CI.yml'), 'a workflow file'],
    [file('.github/workflows'), 'a workflow file'],
    [file('.github/actions/x/action.yml'), 'a workflow file'],
    [file('.circleci/config.yml'), 'a workflow file'],
    [file('.gitlab-ci.yml'), 'a workflow file'],
    [file('Jenkinsfile'), 'a workflow file'],
    [file('.service/ci.yml'), 'configuration of the queue'],
    [file('CODEOWNERS'), 'a list of code owners'],
    [file('docs/CODEOWNERS'), 'a list of code owners'],
    [file('.github/dependabot.yml'), 'an update bot'],
    [file('.gitattributes'), 'a setting of git'],
    [file('deep/down/.gitmodules'), 'a setting of git'],
    [file('.GITMODULES'), 'a setting of git'],
    [file('.g\u200Citattributes'), 'a setting of git'],
    [file('GITMOD~1'), 'a setting of git'],
    [file('.gitattributes. '), 'a setting of git'],
    [file('.github/wor\u212Aflows/ci.yml'), 'a workflow file'],
    [file('.github./workflows/ci.yml'), 'a workflow file'],
    [file('.\u017Fervice/ci.yml'), 'configuration of the queue'],
    [file('.service:$DATA/ci.yml'), 'configuration of the queue'],
  ])('is allowed only with workflow files, and the message says how: %j', (change, what) => {
    const message = judgeChanges([file('a.ts'), change], policy);
    expect(message).toContain(JSON.stringify(change.path));
    expect(message).toContain(what);
    expect(message).toContain('updateRunbookDefaults(workflowFiles: true)');
    expect(judgeChanges([change], changePolicy(true))).toBeNull();
  });

  test.each([
    [file('sub', { mode: '160000', bytes: null }), 'a repository of its own'],
    [file('.git/config'), 'git’s own folder'],
    [file('a/.GIT/config'), 'git’s own folder'],
    [file('../x'), 'must not have a part'],
    [file('a\nb'), 'a control character'],
    [file('a\\b'), 'a backslash'],
    [file('big.bin', { bytes: 5_000_001 }), '5000001 bytes'],
    [link('a', '/etc/passwd'), 'not in the repository'],
    [link('a', '..'), 'not in the repository'],
    [link('a', '../b'), 'not in the repository'],
    [link('a/b', '../../c'), 'not in the repository'],
    [link('a/b', 'c/../../../d'), 'not in the repository'],
    [link('a', 'inner/../../..'), 'not in the repository'],
    [link('a', ''), 'not in the repository'],
    [link('a', '.git/config'), 'not in the repository'],
    [link('a', '//etc'), 'not in the repository'],
    [link('a', 'b\0c'), 'not in the repository'],
  ])('is never allowed: %j', (change, message) => {
    for (const workflowFiles of [false, true])
      expect(judgeChanges([change], changePolicy(workflowFiles))).toContain(message);
  });

  test('may have only a limited number of files and bytes', () => {
    const small = { workflowFiles: false, files: 2, bytesPerFile: 10, bytes: 15 };
    expect(judgeChanges([file('a'), file('b', { bytes: 5 })], small)).toBeNull();
    expect(judgeChanges([file('a'), file('b', { bytes: 6 })], small)).toContain('16 bytes together');
    expect(judgeChanges([file('a', { bytes: 1 }), file('b', { bytes: 1 }), file('c', { bytes: 1 })], small)).toContain(
      '3 files were changed',
    );
  });
});

test('an allowed link never leads out of the repository', () => {
  const part = fc.constantFrom('..', '.', 'a', 'b', '');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.integer({ min: 0, max: 3 }), (parts, depth) => {
      const target = parts.join('/');
      const folders = Array.from({ length: depth }, (_, index) => `f${index}`);
      if (judgeChanges([link([...folders, 'link'].join('/'), target)], policy) !== null) return;
      let level = depth;
      for (const step of target.split('/')) {
        if (step === '..') level -= 1;
        else if (step !== '.' && step !== '') level += 1;
        expect(level, target).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test('an allowed path stays in its folder, and has no part that git reserves', () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', '.git', '.GIT', 'git~1', '.git ', '.g\u200Dit', 'a', '~', 'C:'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const path = parts.join('/');
      if (pathFault(path) !== null) return;
      expect(path.startsWith('/')).toBe(false);
      for (const name of path.split('/')) {
        expect(['', '.', '..']).not.toContain(name);
        expect(isGitFolder(name)).toBe(false);
      }
    }),
    { numRuns: 2_000 },
  );
});
