// The reference of the REST API at /docs/api, made from the OpenAPI document. It is one page without scripts, with the
// same Content-Security-Policy as other pages. Libraries were rejected: Scalar has 200 packages, RapiDoc has 84 with
// native builds, and Swagger UI and Redoc contain telemetry.
import type { FastifyInstance } from 'fastify';
import { parse } from 'yaml';
import { html, list, sendPage, type Markup } from './page.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

type Content = Readonly<
  Record<
    string,
    { readonly schema?: Schema; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }
  >
>;

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface OpenApi {
  readonly info: { readonly title: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, Answer>>;
  };
}

/** `text` is the OpenAPI document as YAML. The document and the page are public. */
export function serveApiDocs(fastify: FastifyInstance, text: string): void {
  let body: Markup | undefined;
  fastify.get('/docs/api', async (_request, reply) => {
    // The page is made at the first request, because most processes never serve it.
    body ??= describeApi(parse(text) as OpenApi);
    return await sendPage(reply, 200, { title: 'REST API', body });
  });
}

interface Placed extends Operation {
  readonly path: string;
  readonly method: string;
}

/** Describes all operations by tag, then all schemas. */
export function describeApi(api: OpenApi): Markup {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Placed => ({ ...operation, path, method: method.toUpperCase() }),
    ),
  );
  const groups = (api.tags ?? []).map(({ name }) => ({
    name,
    members: operations.filter(({ tags }) => tags?.includes(name)),
  }));
  const contents = groups.map(
    ({ name, members }) =>
      html`<li>${name}: ${members.map(({ operationId, summary }) => html`<a href="#${operationId}">${summary ?? operationId}</a>. `)}</li>`,
  );
  return html`<p>${inCode(api.info.description ?? '')}</p>
<p>Every request carries <code>Authorization: Bearer &lt;token&gt;</code>. For programs: <a href="/schema/openapi.yaml">the OpenAPI document</a>, <a href="/schema/schema.graphql">the GraphQL schema</a>, <a href="/schema/config.json">the JSON Schema of configurations</a>. To explore GraphQL: <a href="/graphiql">GraphiQL</a>.</p>
<nav aria-label="Operations">${list(contents)}</nav>
${groups.map(({ name, members }) => html`<h2>${name}</h2>${members.map((operation) => describeOperation(api, operation))}`)}
<h2>Schemas</h2>${Object.entries(api.components.schemas).map(
    ([name, schema]) => html`<section id="schema-${name}"><h3>${name}</h3>${describeSchema(schema)}</section>`,
  )}`;
}

// The id is on an element inside of `details`, because a browser opens `details` if a link points to an element in it.
function describeOperation(api: OpenApi, operation: Placed): Markup {
  const { operationId, summary = operationId, description, method, path, requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((one) => resolved(one, api.components.parameters));
  const answers = Object.entries(operation.responses).map(
    ([status, one]) => [status, resolved(one, api.components.responses)] as const,
  );
  return html`<details><summary><code>${method} ${path}</code> ${summary}</summary><div id="${operationId}">
${description === undefined ? html`` : html`<p>${inCode(description)}</p>`}
${parameters.length === 0 ? html`` : html`<h3>Parameters</h3>${table(parameters.map(parameterRow))}`}
${requestBody === undefined ? html`` : html`<h3>Body</h3>${describeContent(requestBody.content)}`}
<h3>Answers</h3>${answers.map(
    ([status, { description, content }]) =>
      html`<p><strong>${status}</strong> ${inCode(description ?? '')}</p>${content === undefined ? html`` : describeContent(content)}`,
  )}</div></details>`;
}

type Row = readonly [name: string, type: Markup, needed: boolean, description: Markup];

function parameterRow({ name, in: place, required, description, schema }: Parameter): Row {
  return [
    name,
    html`${schema === undefined ? 'text' : typeOf(schema)}, ${place}`,
    required === true,
    inCode(description ?? ''),
  ];
}

function table(rows: readonly Row[]): Markup {
  return html`<table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.map(
    ([name, type, needed, description]) =>
      html`<tr><td><code>${name}</code>${needed ? html` <span class="dim">required</span>` : html``}</td><td>${type}</td><td>${description}</td></tr>`,
  )}</tbody></table>`;
}

/** Describes the first media type of a body: its name, its schema and an example. */
function describeContent(content: Content): Markup {
  const [first] = Object.entries(content);
  if (first === undefined) return html``;
  const [mediaType, { schema, examples = {} }] = first;
  const [example] = Object.values(examples);
  const shown =
    example === undefined
      ? html``
      : html`<pre tabindex="0" role="region" aria-label="Example">${typeof example.value === 'string' ? example.value : JSON.stringify(example.value, null, 2)}</pre>`;
  return html`<p class="dim">${mediaType}${schema === undefined ? html`` : html`: ${typeOf(schema)}`}</p>${schema?.properties === undefined ? html`` : describeSchema(schema)}${shown}`;
}

function describeSchema(schema: Schema): Markup {
  const description = schema.description === undefined ? html`` : html`<p>${inCode(schema.description)}</p>`;
  if (schema.properties === undefined) return html`${description}<p>${typeOf(schema)}</p>`;
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties).map(([name, one]): Row => {
    const otherwise = one.default === undefined ? '' : ` Default: \`${JSON.stringify(one.default)}\`.`;
    return [name, typeOf(one), required.has(name), inCode(`${one.description ?? ''}${otherwise}`)];
  });
  return html`${description}${table(rows)}`;
}

/** A type as text, with links to schemas. */
function typeOf(schema: Schema): Markup {
  const { $ref, type, items, oneOf, anyOf, allOf, properties } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const choices = oneOf ?? anyOf ?? allOf;
  if (choices !== undefined) return joined(choices.map(typeOf), allOf === undefined ? ' or ' : ' and ');
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return joined(
      schema.enum.map((one) => html`<code>${JSON.stringify(one)}</code>`),
      ' or ',
    );
  if (items !== undefined) return html`list of ${typeOf(items)}`;
  if (properties !== undefined)
    return html`object with ${joined(
      Object.keys(properties).map((name) => html`<code>${name}</code>`),
      ', ',
    )}`;
  return html`${type === undefined ? 'anything' : [type].flat().join(' or ')}`;
}

function joined(parts: readonly Markup[], by: string): Markup {
  return html`${parts.map((part, at) => html`${at === 0 ? '' : by}${part}`)}`;
}

function resolved<T extends { readonly $ref?: string }>(one: T, named: Readonly<Record<string, T>> | undefined): T {
  return one.$ref === undefined ? one : (named?.[one.$ref.split('/').at(-1) ?? ''] ?? one);
}

/** Text whose `parts between backticks` are code. */
function inCode(text: string): Markup {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
}
