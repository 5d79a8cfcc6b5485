// What a runbook's commit may change. The rule judges the finished commit, and does not depend on what the agent did or
// read. The agent's tools refuse the same changes earlier, but a command of the agent may have written any file.
import { pathFault, plainName, segmentsOf } from './path.ts';

export interface ChangePolicy {
  /** Whether a commit may change files that decide what runs, who reviews, and what git does (docs/runbooks.md). */
  readonly workflowFiles: boolean;
  readonly files: number;
  readonly bytesPerFile: number;
  /** The sum over all changed files. */
  readonly bytes: number;
}

export function changePolicy(workflowFiles: boolean): ChangePolicy {
  return { workflowFiles, files: 2_000, bytesPerFile: 5_000_000, bytes: 50_000_000 };
}

export interface JudgedChange {
  readonly path: string;
  /** `100644`, `100755`, `120000` for a link, `160000` for a submodule. Null: the file was removed. */
  readonly mode: string | null;
  /** The size after the change. For a link, the length of its target. Null: the file was removed, or is a submodule. */
  readonly bytes: number | null;
  /** The target of a link. Null for everything else. */
  readonly target: string | null;
}

/** Why these changes are refused, with the file and the remedy. Null: they may be committed. */
export function judgeChanges(changes: readonly JudgedChange[], policy: ChangePolicy): string | null {
  const fault = changes.map((change) => changeFault(change, policy)).find((fault) => fault !== null);
  if (fault !== undefined) return fault;
  if (changes.length > policy.files)
    return `${changes.length} files were changed, and a commit of a runbook may change ${policy.files} at most: add generated files, such as ${quoted(changes[0]?.path ?? '')}, to .gitignore, or split the step.`;
  const bytes = changes.reduce((sum, change) => sum + (change.bytes ?? 0), 0);
  if (bytes > policy.bytes)
    return `The changed files have ${bytes} bytes together, and a commit of a runbook may have ${policy.bytes} at most: add generated files to .gitignore, or split the step.`;
  return null;
}

function changeFault({ path, mode, bytes, target }: JudgedChange, policy: ChangePolicy): string | null {
  const fault = pathFault(path);
  if (fault !== null) return `${quoted(path)} cannot be committed: its path ${fault}.`;
  const guarded = guardedFault(path, policy);
  if (guarded !== null) return guarded;
  if (mode === null) return null;
  if (mode === '160000')
    return `${quoted(path)} is a repository of its own: remove its .git folder, or do not leave it in the worktree.`;
  if (mode === '120000') return linkFault(path, target ?? '');
  if (bytes !== null && bytes > policy.bytesPerFile)
    return `${quoted(path)} has ${bytes} bytes, and a file in a commit of a runbook may have ${policy.bytesPerFile} at most: remove the file, or add it to .gitignore.`;
  return null;
}

function linkFault(path: string, target: string): string | null {
  if (leadsInside(path, target)) return null;
  return `${quoted(path)} is a link to ${quoted(target)}, which is not in the repository: link to a file of the repository by a relative path, or commit a file.`;
}

// `..` is only allowed at the beginning: after the name of a link it would go up from that link's target.
function leadsInside(path: string, target: string): boolean {
  const climbed = /^(?:\.\.\/)*(?:\.\.$)?/.exec(target)?.[0] ?? '';
  const ups = climbed.split('/').filter((part) => part === '..').length;
  const folders = path.split('/').slice(0, -1);
  if (ups > folders.length || target === '') return false;
  const down = target.slice(climbed.length).replace(/^\.\//, '').replace(/\/$/, '');
  const resolved = [...folders.slice(0, folders.length - ups), ...(down === '' || down === '.' ? [] : [down])].join(
    '/',
  );
  return resolved === '' || pathFault(resolved) === null;
}

/** Patterns of lower-case paths. The matched files decide what is executed elsewhere, or who must approve. */
const guardedFiles: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: 'a workflow file',
    pattern:
      /^(\.github\/(workflows|actions)|\.gitlab|\.circleci|\.buildkite|\.woodpecker|\.gitea\/workflows|\.forgejo\/workflows)(\/|$)/,
  },
  {
    what: 'a workflow file',
    pattern:
      /^(\.gitlab-ci\.yml|\.travis\.yml|\.drone\.ya?ml|\.woodpecker\.ya?ml|\.cirrus\.yml|\.appveyor\.yml|appveyor\.yml|azure-pipelines\.ya?ml|bitbucket-pipelines\.yml|jenkinsfile)$/,
  },
  { what: 'configuration of the queue, its checks and previews', pattern: /^\.service(\/|$)/ },
  { what: 'a list of code owners', pattern: /^(\.github\/|\.gitlab\/|docs\/)?codeowners$/ },
  { what: 'an update bot’s configuration', pattern: /^\.github\/(dependabot\.ya?ml|renovate\.json5?)$/ },
  { what: 'a setting of git', pattern: /(^|\/)\.(gitattributes|gitmodules|gitconfig|lfsconfig)$/ },
  // The short names that NTFS gives to these files.
  { what: 'a setting of git', pattern: /(^|\/)(gitatt|gitmod)~\d+$/ },
];

/** Why an agent must not change a path. Null: the agent may change the path. */
export function guardedFault(path: string, policy: Pick<ChangePolicy, 'workflowFiles'>): string | null {
  if (policy.workflowFiles) return null;
  const plain = segmentsOf(path).map(plainName).join('/');
  const guarded = guardedFiles.find(({ pattern }) => pattern.test(plain));
  if (guarded === undefined) return null;
  return `${quoted(path)} is ${guarded.what}, which runbooks of this repository must not change: allow such changes by updateRunbookDefaults(workflowFiles: true), or make this change yourself.`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
