// Makes github.json and webhooks.json, which have the parts of GitHub's own descriptions that the emulator serves,
// without their texts. `node github-emulator/openapi/trim.mjs` downloads the packages of the two descriptions into a
// temporary folder, and takes two minutes.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations, webhooks } from './operations.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const source = 'generated/api.github.com.json';
const prose = new Set([
  'description',
  'example',
  'examples',
  'title',
  'externalDocs',
  'deprecated',
  'x-github-breaking-changes',
  'x-multi-segment',
  'contentMediaType',
]);

function download(folder, name, version) {
  execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder });
  const archive = join(folder, `${name.slice(1).replace('/', '-')}-${version}.tgz`);
  const target = mkdtempSync(join(folder, 'unpacked-'));
  execFileSync('tar', ['xzf', archive, '-C', target, `package/${source}`, 'package/LICENSE']);
  return {
    description: JSON.parse(readFileSync(join(target, 'package', source), 'utf8')),
    licence: readFileSync(join(target, 'package', 'LICENSE'), 'utf8'),
  };
}

/**
 * A JSON Schema without texts, with `nullable` written as a type. The names of the schemas that it refers to are added
 * to `used`.
 */
function slim(node, used, isNames = false) {
  if (Array.isArray(node)) return node.map((each) => slim(each, used));
  if (typeof node !== 'object' || node === null) return node;
  if (typeof node.$ref === 'string') {
    used.add(node.$ref.split('/').at(-1));
    return { $ref: `#/schemas/${node.$ref.split('/').at(-1)}` };
  }
  const kept = Object.entries(node)
    .filter(([key]) => isNames || !prose.has(key))
    .filter(([key]) => isNames || !['nullable', 'format', 'default', 'readOnly', 'xml'].includes(key))
    .map(([key, value]) => {
      if (!isNames && (key === 'enum' || key === 'required' || key === 'const')) return [key, value];
      return [key, slim(value, used, !isNames && key === 'properties')];
    });
  const schema = Object.fromEntries(kept);
  if (isNames || node.nullable !== true) return schema;
  if (schema.enum !== undefined && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
  if (schema.type === undefined) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema.type, 'null'].flat() };
}

function withSchemas(description, used) {
  const schemas = {};
  for (const name of used) schemas[name] = slim(description.components.schemas[name], used);
  return schemas;
}

function resolve(description, node) {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .split('/')
    .slice(1)
    .reduce((value, key) => value[key], description);
}

function trimOperation(description, operation, used) {
  const [method, path] = operation.split(' ');
  const found = description.paths[path]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`GitHub describes no ${operation}.`);
  const parameters = (found.parameters ?? []).map((each) => resolve(description, each));
  const body = resolve(description, found.requestBody);
  const schemaOf = (content) => Object.entries(content ?? {}).find(([type]) => type.includes('json'))?.[1].schema;
  const answers = Object.entries(found.responses).map(([status, answer]) => {
    const schema = schemaOf(resolve(description, answer).content);
    return [status, schema === undefined ? null : slim(schema, used)];
  });
  return {
    parameters: parameters.map(({ name, in: place, required, schema }) => ({
      name,
      in: place,
      ...(required ? { required } : {}),
      schema: slim(schema, used),
    })),
    ...(body === undefined
      ? {}
      : { body: slim(schemaOf(body.content) ?? {}, used), bodyRequired: body.required ?? false }),
    answers: Object.fromEntries(answers),
  };
}

/** Corrects the descriptions where GitHub's real answers are known to differ. */
function correct({ operations, schemas }) {
  // The list has the same rows as `GET /app/installations/{id}`. Its own description would require that an account is a
  // user and an enterprise at once.
  operations['GET /app/installations'].answers['200'].items = { $ref: '#/schemas/installation' };
  // The repository of a deleted fork is null.
  for (const name of ['pull-request', 'pull-request-simple']) {
    const { properties } = schemas[name].properties.head;
    properties.repo = { anyOf: [properties.repo, { type: 'null' }] };
  }
  // The description of a label may be null, in lists too.
  schemas['pull-request-simple'].properties.labels.items.properties.description = { type: ['string', 'null'] };
  return { operations, schemas };
}

/**
 * The description of some webhooks lists the events of an App, but lacks the newer events. So every event is allowed.
 */
function openEvents(node) {
  if (typeof node !== 'object' || node === null) return node;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'events' && value?.items?.enum !== undefined) value.items = { type: 'string' };
    openEvents(value);
  }
  return node;
}

const worthSharing = 200;

/**
 * Writes a schema only once, even if several places use it. Webhooks, for example, repeat the whole schema of pull
 * requests.
 */
function share(file) {
  const places = new Map();
  const isSchema = (node) => typeof node.type === 'string' || Array.isArray(node.type);
  const count = (node) => {
    if (typeof node !== 'object' || node === null) return;
    if (isSchema(node)) {
      const text = JSON.stringify(node);
      if (text.length > worthSharing) places.set(text, (places.get(text) ?? 0) + 1);
    }
    Object.values(node).forEach(count);
  };
  count(file);
  const names = new Map();
  const shared = {};
  const replace = (node, isName) => {
    if (typeof node !== 'object' || node === null) return node;
    const text = !isName && isSchema(node) ? JSON.stringify(node) : '';
    const inside = () => {
      if (Array.isArray(node)) return node.map((each) => replace(each, false));
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replace(value, false)]));
    };
    if ((places.get(text) ?? 0) < 2) return inside();
    if (!names.has(text)) {
      const name = `shared-${names.size + 1}`;
      names.set(text, name);
      shared[name] = inside();
    }
    return { $ref: `#/schemas/${names.get(text)}` };
  };
  const { schemas, ...rest } = file;
  const kept = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, replace(schema, true)]));
  return { ...replace(rest, true), schemas: { ...kept, ...shared } };
}

function trim() {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const api = download(folder, '@octokit/openapi', '23.0.2');
    const used = new Set();
    const kept = operations.map((operation) => [operation, trimOperation(api.description, operation, used)]);
    const file = correct({ operations: Object.fromEntries(kept), schemas: withSchemas(api.description, used) });
    writeFileSync(join(here, 'github.json'), `${JSON.stringify(share(file))}\n`);

    const hooks = download(folder, '@octokit/openapi-webhooks', '12.1.0');
    const usedByHooks = new Set();
    const names = Object.entries(webhooks).flatMap(([event, actions]) =>
      actions.length === 0 ? [event] : actions.map((action) => `${event}-${action}`),
    );
    const payloads = Object.fromEntries(
      names.map((name) => {
        const { content } = hooks.description.webhooks[name].post.requestBody;
        return [name, slim(Object.values(content)[0].schema, usedByHooks)];
      }),
    );
    const hookFile = { payloads, schemas: openEvents(withSchemas(hooks.description, usedByHooks)) };
    writeFileSync(join(here, 'webhooks.json'), `${JSON.stringify(share(hookFile))}\n`);
    writeFileSync(join(here, 'LICENSE'), api.licence);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

trim();
