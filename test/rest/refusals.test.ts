// The OpenAPI document must not allow what the service refuses as bad input. Each field of each body gets odd values,
// and those that the document allows are sent. One action of each path stands for all actions of the path.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadExamples } from '../../rest-facade/openapi/examples.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Json, OpenApi } from './contract/openapi.ts';
import { prepareReleases } from './contract/releases.ts';
import { prepareRepository } from './contract/repository.ts';
import { prepareRunbooks } from './contract/runbooks.ts';

const openApi = new OpenApi();
const examples = loadExamples();
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const repository = await prepareRepository(server);
  await prepareReleases(server, repository);
  await prepareRunbooks(server, repository);
});
afterAll(async () => await server.close());

/** Messages about things that do not exist, which no schema can know. */
const ofWhatThereIs = [
  'author_email must be the email address of a user of this account',
  'and the repository has no endpoint preview',
];

const odd: readonly unknown[] = [null, '', ' ', 'a\nb', 'x'.repeat(300), 0, -1, true, [], [' '], {}];

interface Body {
  readonly name: string;
  readonly request: string;
  readonly schema: Json;
  readonly value: Json;
}

const bodies: readonly Body[] = openApi.operations.flatMap((request) => {
  const json = openApi.operation(request)?.body?.['application/json'] as Json | undefined;
  return Object.entries((json?.['examples'] ?? {}) as Record<string, { value: Json }>).map(([name, { value }]) => ({
    name,
    request,
    schema: json?.['schema'] as Json,
    value,
  }));
});

/** The paths of all fields that the body may have. */
function fieldsOf(given: Json, value: Json, path: readonly string[] = []): string[][] {
  const schema = openApi.follow(given);
  const choices = (schema['oneOf'] ?? schema['anyOf'] ?? []) as Json[];
  const chosen = choices.filter((each) => openApi.problemsOf(each, value).length === 0);
  const own = Object.entries((schema['properties'] ?? {}) as Record<string, Json>).flatMap(([key, each]) => [
    [...path, key],
    ...fieldsOf(each, (value[key] ?? {}) as Json, [...path, key]),
  ]);
  return [...own, ...chosen.flatMap((each) => fieldsOf(each, value, path))];
}

function changed(value: Json, [key = '', ...rest]: readonly string[], to: unknown): Json {
  const inner = value[key];
  return { ...value, [key]: rest.length === 0 ? to : changed((inner ?? {}) as Json, rest, to) };
}

const alike: ReadonlySet<string> = new Set([
  'QueuePullRequest',
  'DequeuePullRequest',
  'RefreshPullRequest',
  'SyncPullRequest',
]);

it.each(bodies.filter(({ name }) => !alike.has(name)))(
  'the document allows no body that the service refuses: $name ($request)',
  async ({ name, request, schema, value }) => {
    const [method = '', template = ''] = request.split(' ');
    const parameters = (examples[name]?.['parameters'] ?? {}) as Json;
    const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(parameters[key])));
    expect(openApi.problemsOf(schema, value)).toEqual([]);
    const allowed = fieldsOf(schema, value)
      .flatMap((field) => odd.map((to) => ({ field, body: changed(value, field, to) })))
      .filter(({ body }) => openApi.problemsOf(schema, body).length === 0);
    const faults: unknown[] = [];
    for (const { field, body } of allowed) {
      const answer = await server.rest(method, path, { body });
      const text = await answer.text();
      // The commits of the examples do not exist.
      const isUnknownCommit = /^[0-9a-f]{40}$/.test(String(body['commit'])) && text.includes('Invalid commit hash');
      if (answer.status === 400 && !isUnknownCommit && !ofWhatThereIs.some((each) => text.includes(each)))
        faults.push([field.join('.'), body, text]);
    }
    expect(faults).toEqual([]);
  },
);
