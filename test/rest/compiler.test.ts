import { describe, expect, it } from 'vitest';
import { compileFacade } from '../../rest-facade/index.ts';
import { documents, documentsWith } from './fixtures/documents.ts';
import { fixtureSchema } from './fixtures/facade.ts';

function compile(name: string, text: string) {
  return compileFacade({ schema: fixtureSchema(), documents: documentsWith(name, text) });
}

const stats = (rest: string, selection = 'repository(owner: $org, name: $repo) { queueDepth { queued } }') => `
  "Get the depth" query GetQueueStats($org: String!, $repo: String!) @rest(${rest}) { ${selection} }`;
const place = 'method: GET, path: "/api/v1/queue/stats", tag: "Queue"';

describe('compiling the documents', () => {
  it('makes one operation of each document, and uses the fragments in it', () => {
    const operations = compileFacade({ schema: fixtureSchema(), documents });
    expect(operations.map(({ name }) => name)).toEqual(documents.slice(1).map(({ name }) => name));
  });

  it('removes its own directives from the executed document', () => {
    const operations = compileFacade({ schema: fixtureSchema(), documents });
    for (const { document } of operations) {
      expect(JSON.stringify(document)).not.toContain('"kind":"Directive"');
    }
  });

  it('takes the first paragraph of the description as the summary', () => {
    const [operation] = compile(
      'GetQueueStats',
      stats(place).replace('"Get the depth"', '"""\nDepth\n\nOf all branches.\n"""'),
    ).filter(({ name }) => name === 'GetQueueStats');
    expect(operation).toMatchObject({ summary: 'Depth', description: 'Of all branches.' });
  });

  it.each<[what: string, text: string, message: RegExp]>([
    [
      'a field the schema does not have',
      stats(place, 'repository(owner: $org, name: $repo) { depth }'),
      /Cannot query field "depth"/,
    ],
    ['an unused variable', stats(place, 'repository(owner: $org) { name }'), /Variable "\$repo" is never used/],
    ['a directive argument of the wrong type', stats(`${place}, status: "201"`), /Int cannot represent/],
    [
      'a missing @rest',
      stats(place).replace(/@rest\(.*\) \{ repo/, '{ repo'),
      /GetQueueStats\.graphql: The operation needs @rest/,
    ],
    [
      'an operation named unlike its file',
      stats(place).replace('query GetQueueStats', 'query Depth'),
      /has to be named GetQueueStats/,
    ],
    ['a missing description', stats(place).replace('"Get the depth"', ''), /needs a description/],
    [
      'a result outside of the selection',
      stats(`${place}, result: "repository.depth"`),
      /leaves the selection at depth/,
    ],
    ['a path parameter without a variable', stats(place.replace('/stats', '/{branch}')), /\{branch\} needs a variable/],
    ['a need of two', stats(`${place}, need: ["2 of org repo"]`), /neither "1 of a b"/],
    [
      'a need that names a required input',
      stats(`${place}, need: ["1 of org repo"]`),
      /names org, which is no optional input/,
    ],
    ['a `when` that is not field=value', stats(`${place}, when: "action"`), /is not field=value/],
    [
      'a text result that is an object',
      stats(`${place}, produces: "application/yaml", result: "repository"`),
      /needs a result that is a String/,
    ],
    ['a text body without a text variable', stats(`${place}, consumes: "application/yaml"`), /belong together/],
    ['a link without pages', stats(`${place}, link: true`), /needs \$page, \$perPage and a field with @header/],
    [
      '@unwrap over two fields',
      stats(place, 'repository(owner: $org, name: $repo) @unwrap { name owner }'),
      /exactly one field inside/,
    ],
    [
      '@header inside a list',
      stats(place, 'repository(owner: $org, name: $repo) { branchPauses { pattern @header(name: "X-Pattern") } }'),
      /is inside a list/,
    ],
    [
      'a variable with two places',
      stats(place).replace('$org: String!', '$org: String! @in(body: "a", query: "b")'),
      /@in has one place/,
    ],
    [
      'only on a string',
      stats(place).replace('$org: String!', '$org: String! @in(query: "org", only: true)'),
      /only: true is for Booleans/,
    ],
  ])('refuses %s', (_what, text, message) => {
    expect(() => compile('GetQueueStats', text)).toThrow(message);
  });

  it('refuses two operations in one file', () => {
    const two = `${stats(place)} ${stats(place).replace('query GetQueueStats', 'query Other')}`;
    expect(() => compile('GetQueueStats', two)).toThrow(/has 2 operations/);
  });

  it('refuses a union member without a fragment', () => {
    const document = documents.find(({ name }) => name === 'ReplaceConfiguration');
    const text = document?.text.replace('... on ConfigurationAccepted { success }', '') ?? '';
    expect(() => compile('ReplaceConfiguration', text)).toThrow(
      /ConfigurationAccepted of ReplaceConfigurationOutcome has no fragment/,
    );
  });

  it('refuses @status below the result', () => {
    const document = documents.find(({ name }) => name === 'ReplaceConfiguration');
    const text = document?.text.replace('replaceConfiguration.outcome', 'replaceConfiguration') ?? '';
    expect(() => compile('ReplaceConfiguration', text)).toThrow(/@status is for the fragments of the result itself/);
  });

  it('refuses two documents of one path without a different `when`', () => {
    const document = documents.find(({ name }) => name === 'DequeuePullRequest');
    const text = document?.text.replace('when: "action=dequeue"', 'when: "action=queue"') ?? '';
    expect(() => compile('DequeuePullRequest', text)).toThrow(/POST \/api\/v1\/pull_request need a `when`/);
  });
});
