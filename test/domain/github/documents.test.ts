// GitHub's schema permits every GraphQL document that is sent to GitHub.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { schema } from '@octokit/graphql-schema';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { costOf } from '../../../github-emulator/graphql/cost.ts';
import { readChecksOfCommits } from '../../../src/hosts/github/commit-checks.ts';
import { listPullRequests } from '../../../src/hosts/github/pull-requests.documents.ts';

const folder = join(import.meta.dirname, '../../../src/hosts/github');
const files = globSync('*.documents.ts', { cwd: folder }).toSorted();
const github = buildSchema(schema.idl, { assumeValid: true });

async function documentsOf(file: string): Promise<(readonly [string, string])[]> {
  const given = (await import(join(folder, file))) as Readonly<Record<string, string>>;
  // A fragment alone is only a part of other documents.
  return Object.entries(given).filter(([, text]) => /\b(query|mutation)\b/.test(text));
}

const documents = (await Promise.all(files.map(documentsOf))).flat();

test('the documents are found', () => {
  expect(files).toEqual(['checks.documents.ts', 'pull-requests.documents.ts', 'rules.documents.ts']);
  expect(documents.length).toBeGreaterThan(5);
});

test.each(documents)('the document %s is valid', (_name, text) => {
  expect(validate(github, parse(text))).toEqual([]);
});

test('a document about the checks of several commits is valid, and costs a point for each commit', () => {
  const document = parse(readChecksOfCommits(5));
  expect(validate(github, document)).toEqual([]);
  expect(costOf(document, {}).points).toBe(5);
});

test('a page of open pull requests costs two points, because every comparison reads all pages', () => {
  expect(costOf(parse(listPullRequests), {}).points).toBe(2);
});

test('a field that GitHub does not have is reported', () => {
  expect(validate(github, parse('{ viewer { shoeSize } }')).map(({ message }) => message)).toEqual([
    'Cannot query field "shoeSize" on type "User".',
  ]);
});
