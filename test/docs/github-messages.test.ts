// docs/github.md lists every message of the host `github` with what to do, so that a user who searches for a message
// finds it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refusingRuleTypes, selectiveRuleTypes } from '../../src/hosts/github/base-rules.ts';
import { projectRoot } from '../../src/platform/project-root.ts';

const page = readFileSync(join(projectRoot, 'docs/github.md'), 'utf8');

/** Findings of the doctor are not listed, because they say themselves what to do. */
const folders = ['src/hosts/github', 'src/modules/github'];
const files = folders.flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ name }) => `${folder}/${name}`),
);

const message =
  /(?:new (?:HostUnavailable|HostRefused|NotFoundAtGitHub)\(\s*|new DomainError\(\s*'[A-Z_]+',\s*|(?:words|reason): )(['"`])((?:\\.|(?!\1)[^\\])*)\1/gs;
const shortest = 8;

/**
 * The fixed parts of a message that are long enough to search for. If there is none, the whole message as the docs
 * write it.
 */
function partsOf(text: string): readonly string[] {
  const parts = text.replaceAll("\\'", "'").split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/);
  const long = parts.map((part) => part.trim().replace(/[.:,]$/, '')).filter((part) => part.length >= shortest);
  return long.length > 0 ? long : [parts.join('…')];
}

const messages = files.flatMap((path) =>
  [...readFileSync(join(projectRoot, path), 'utf8').matchAll(message)].map((match) => [match[2] ?? '', path] as const),
);

test('the sources contain messages', () => {
  expect(messages.length).toBeGreaterThan(30);
});

test.each([...new Map(messages)])('docs/github.md has the message: %s', (text) => {
  expect(partsOf(text).filter((part) => page.includes(part))).not.toEqual([]);
});

test.each([...Object.values(refusingRuleTypes), ...Object.values(selectiveRuleTypes), 'Require signed commits'])(
  'docs/github.md has the rule "%s"',
  (name) => {
    expect(page).toContain(name);
  },
);
