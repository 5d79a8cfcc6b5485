// Names that no branch can have, and names that look like another one. Each row says in words what the name is.

export interface HostileName {
  readonly what: string;
  readonly name: string;
  /**
   * Whether `git check-ref-format --branch` accepts the name. Null: git cannot be asked, because no argument of a program
   * can have this name.
   */
  readonly isValidForGit: boolean | null;
}

const refused = (what: string, name: string): HostileName => ({ what, name, isValidForGit: false });
const stricter = (what: string, name: string): HostileName => ({ what, name, isValidForGit: true });
const unsayable = (what: string, name: string): HostileName => ({ what, name, isValidForGit: null });

export const hostileNames: readonly HostileName[] = [
  refused('an empty name', ''),
  refused('a hyphen', '-'),
  refused('two hyphens', '--'),
  refused('a short option', '-f'),
  refused('a short option with a value', '-cprotocol.ext.allow=always'),
  refused('the option for another program', '--upload-pack=touch-pwned'),
  refused('the option for another program on the other side', '--receive-pack=touch-pwned'),
  refused('the option that runs a command', '--exec=pwned'),
  refused('the option that writes a file', '--output=../../pwned'),
  stricter('an option below a folder', 'a/-f'),
  stricter('a long option below a folder', 'a/--upload-pack=pwned'),
  refused('a dot', '.'),
  refused('two dots', '..'),
  refused('three dots', '...'),
  refused('a range', 'main..topic'),
  refused('a path to the folder above', '../main'),
  refused('a path to the configuration of the repository', '../../config'),
  refused('a path through a folder and back', 'a/../main'),
  refused('a full ref that leads out of its folder', 'refs/heads/../../config'),
  refused('a hidden file', '.hidden'),
  refused('a hidden file below a folder', 'a/.hidden'),
  refused('the folder itself', 'a/.'),
  refused('a dot at the end', 'topic.'),
  refused('a slash at the end', 'topic/'),
  refused('a slash at the beginning', '/topic'),
  refused('two slashes', 'a//b'),
  refused('only a slash', '/'),
  refused('an absolute path', '/etc/passwd'),
  refused('the lock of a branch', 'topic.lock'),
  refused('a lock as a folder', 'a.lock/b'),
  refused('only the ending of a lock', '.lock'),
  refused('an entry of the reflog', 'main@{1}'),
  refused('the branch before', 'a@{-1}'),
  refused('the upstream of a branch', 'main@{upstream}'),
  refused('the current branch', 'HEAD'),
  refused('a space inside', 'a b'),
  refused('a space at the beginning', ' main'),
  refused('a space at the end', 'main '),
  refused('a tab', 'main\ttopic'),
  refused('a line break', 'main\ntopic'),
  refused('a carriage return', 'main\r'),
  refused('a sequence that colours a terminal', 'main\x1b[31m'),
  refused('the character DEL', 'main\x7f'),
  unsayable('a NUL', 'main\0topic'),
  unsayable('half of a pair of surrogates', 'main\ud800'),
  refused('an ancestor', 'main~1'),
  refused('a parent', 'main^'),
  refused('the object of a tag', 'main^{}'),
  refused('a branch that is excluded', '^main'),
  refused('a file of a branch', 'main:.service/config.yml'),
  refused('a refspec', '+main:main'),
  refused('a question mark', 'mai?'),
  refused('an asterisk', 'refs/heads/*'),
  refused('a class of characters', 'mai[n]'),
  refused('a backslash', 'a\\b'),
  refused('a path of Windows', '..\\..\\config'),
  refused('a transport that runs a command', 'ext::sh'),
  stricter('a name that is too long for a file', 'x'.repeat(245)),
  stricter('a name of fewer characters that has too many bytes', 'ä'.repeat(123)),
  stricter('a name of fewer characters that has too many bytes for a file', 'ä'.repeat(130)),
];

/** Names that git accepts. They name no branch that exists, and must not be taken for one that they look like. */
export const lookAlikes: readonly (readonly [what: string, name: string])[] = [
  ['an at sign, which git reads as HEAD elsewhere', '@'],
  ['the full ref of a branch', 'refs/heads/main'],
  ['the ref of a landing', 'refs/interlock/landings/1'],
  ['main with a Cyrillic letter', 'm\u0430in'],
  ['main with a character of no width', 'main\u200b'],
  ['main in full-width letters', '\uff4d\uff41\uff49\uff4e'],
  ['main with an accent', 'mai\u0301n'],
  ['main in capital letters', 'MAIN'],
  ['main with a text that turns its direction', '\u202eniam'],
  ['an option with a hyphen of typography', '\u2010\u2010upload-pack=pwned'],
  ['two dots in one character', '\u2025/config'],
  ['a slash that is none', '\u2024\u2024\u2044main'],
  ['a command of a shell', '$(touch${IFS}pwned)'],
  ['a command between backquotes', '`pwned`'],
  ['a command after a semicolon', 'main;pwned'],
  ['a command after a pipe', 'main|pwned'],
  ['quotation marks', `'";--`],
  ['dots of a URL', '%2e%2e%2fconfig'],
  ['a NUL of a URL', 'main%00'],
  ['the number of an object', '0'.repeat(40)],
  ['the beginning of a description', 'v1-0-gabcdef1'],
];
