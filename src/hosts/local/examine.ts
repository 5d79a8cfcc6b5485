// What `npm run doctor` examines in a repository of the local host: its folder, and the file that names its checks.
import { access, constants, readdir } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { joinNames, missing, ok, type ReportFinding, warning } from '../../domain/doctor/finding.ts';
import * as git from '../git/index.ts';
import type { CodeHost, HostExpectations, HostRepository } from '../port.ts';
import { ciFileLimit, ciFilePath, parseCiFile, type CiFile } from './ci-file.ts';
import type { Installation } from './installation.ts';

export function examineOperation(installation: Installation) {
  return {
    examine: async (repository, expectations, report) =>
      await examine(installation, { repository, expectations, report }),
  } satisfies Partial<CodeHost>;
}

interface Examining {
  readonly repository: HostRepository;
  readonly expectations: HostExpectations;
  readonly report: ReportFinding;
}

async function examine(installation: Installation, { repository, expectations, report }: Examining): Promise<void> {
  const directory = installation.directoryOf(repository);
  if (!(await isWritable(directory)))
    return report(
      missing(
        'folder',
        `${directory} cannot be read and written.`,
        'Give the folder to the user that Interlock runs as. With several machines, mount the folder on each of them.',
      ),
    );
  report(ok('folder', `${directory} can be read and written.`));
  const version = await installation.git.text(directory, ['version']);
  report(ok('git', `${version.replace(/^git version/, 'git')} reads the repository.`));
  for (const branch of expectations.baseBranches) {
    const tip = await git.readRef(installation.git, directory, `refs/heads/${branch}`);
    const probe = `checks of ${branch}`;
    if (tip === null) {
      report(missing(probe, `There is no branch ${branch}.`, 'Push a first commit, and run the doctor again.'));
      continue;
    }
    const at = { commit: tip.commit, path: ciFilePath, maxBytes: ciFileLimit };
    const file = await git.readFile(installation.git, directory, at);
    const programs = await findPrograms(process.env['PATH'] ?? '');
    report(judgeCiFile(parseCiFile(file?.text ?? null), { ...expectations, branch, hasProgram: programs }));
  }
}

async function isWritable(path: string): Promise<boolean> {
  return await access(path, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}

interface Wanted extends Pick<HostExpectations, 'requiredChecks'> {
  readonly branch: string;
  readonly hasProgram: (name: string) => boolean;
}

/** `file`: the file at the tip of the branch. */
export function judgeCiFile(file: CiFile, { branch, requiredChecks, hasProgram }: Wanted) {
  const probe = `checks of ${branch}`;
  if (file.kind === 'broken')
    return missing(probe, `${ciFilePath} of ${branch} cannot be read.`, file.reasons.join('\n'));
  const names = file.checks.map(({ name }) => name);
  const absent = requiredChecks.filter((name) => !names.includes(name));
  if (absent.length > 0)
    return missing(
      probe,
      `${ciFilePath} of ${branch} has no check ${joinNames(absent)}, which merge_rules.preconditions.required_checks demands.`,
      `Add the check to ${ciFilePath}, or remove it from required_checks.`,
    );
  if (names.length === 0)
    return warning(
      probe,
      `${branch} has no checks: everything that merges without a conflict lands.`,
      `Add ${ciFilePath}:\nchecks:\n  test:\n    run: make test`,
    );
  const unknown = file.checks.filter(({ run }) => !hasProgram(programOf(run)));
  if (unknown.length > 0)
    return warning(
      probe,
      `This machine has no ${joinNames(unknown.map(({ run, name }) => `${programOf(run)} (check ${name})`))} on its PATH.`,
      'Install the missing programs on every machine that runs checks.',
    );
  return ok(probe, `${ciFilePath} of ${branch} runs ${joinNames(names)}.`);
}

/**
 * The program that a command runs first, after variables that the command sets. It is no name of a program if one of the
 * values has quotes or the output of another program.
 */
function programOf(run: string): string {
  return /^\s*(?:[A-Za-z_]\w*=[^\s"'`()]*\s+)*([^\s;&|()]+)/.exec(run)?.[1] ?? '';
}

/**
 * Returns whether a program is in a folder of `path`. Builtins of the shell and paths to files of the checkout count as
 * installed.
 */
async function findPrograms(path: string): Promise<(name: string) => boolean> {
  const found = new Set<string>();
  for (const folder of path.split(delimiter)) for (const name of await readdir(folder).catch(() => [])) found.add(name);
  return (name) => !/^[a-z][\w.+-]*$/i.test(name) || shellBuiltins.has(name) || found.has(name);
}

const shellBuiltins = new Set(
  'alias break case cd command continue echo eval exec exit export false for getopts hash if kill local printf pwd read readonly return set shift test times trap true type ulimit umask unset until wait while'.split(
    ' ',
  ),
);
