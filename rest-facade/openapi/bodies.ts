// Makes the schemas of request bodies from the places of a document's variables.
import type { Operation } from '../compile.ts';
import type { Input } from '../inputs.ts';
import { type Examples, type Group, type Json, examplesOf } from './examples.ts';
import { type Components, type JsonSchema, documented, schemaOfInput } from './json-schema.ts';

export function requestBody(group: Group, components: Components, examples: Examples): Json | undefined {
  const [first] = group;
  const inputs = group.flatMap((operation) => operation.inputs).filter(({ place }) => place.in === 'body');
  if (inputs.length === 0) return undefined;
  const content = {
    schema: first.consumes
      ? { type: 'string' }
      : group.length === 1
        ? bodySchema(first, components)
        : choiceOfBodies(group, components),
    ...examplesOf(group, 'request', examples),
  };
  const required = inputs.some((input) => input.required) || first.when !== undefined;
  return { required, content: { [first.consumes ?? 'application/json']: content } };
}

function choiceOfBodies(group: Group, components: Components): JsonSchema {
  const bodies = group.map((operation) => ({
    value: operation.when?.value ?? '',
    schema: bodySchema(operation, components, onlyElsewhere(operation, group)),
  }));
  return {
    oneOf: bodies.map(({ schema }) => schema),
    discriminator: {
      propertyName: group[0].when?.field,
      mapping: Object.fromEntries(bodies.map(({ value, schema }) => [value, schema['$ref']])),
    },
  };
}

/** Returns fields of other operations of the path that this operation also accepts, except with the value true. */
function onlyElsewhere(operation: Operation, group: Group): readonly Input[] {
  const own = new Set(operation.inputs.map(({ field }) => field));
  return group.flatMap(({ inputs }) => inputs).filter(({ only, field }) => only && !own.has(field));
}

function bodySchema(operation: Operation, components: Components, elsewhere: readonly Input[] = []): JsonSchema {
  const { name, when, inputs } = operation;
  return components.refer(`${name}Request`, () => {
    const body = new ObjectSchema();
    if (when) body.put([when.field], { type: 'string', enum: [when.value] }, true);
    for (const input of inputs) {
      if (input.place.in !== 'body') continue;
      const schema = bounded(schemaOfInput(input.type, components), input);
      const described = documented(schema, input.description);
      const { defaultValue } = input;
      body.put(
        input.place.path,
        defaultValue === undefined ? described : { ...described, default: defaultValue },
        input.required,
      );
    }
    for (const { place, field } of elsewhere) {
      const description = `If \`${field}\` is true, the request is refused. Another \`${when?.field}\` accepts true.`;
      if (place.in === 'body')
        body.put(place.path, { type: ['boolean', 'null'], enum: [false, null], description }, false);
    }
    return { ...body.schema(), ...choicesOf(operation) };
  });
}

function bounded(schema: JsonSchema, { bounds: { maxItems, ...ofText } }: Input): JsonSchema {
  if (maxItems === undefined) return { ...schema, ...ofText };
  return { ...schema, maxItems, items: { ...(schema['items'] as JsonSchema), ...ofText } };
}

// Makes the schema for alternatives of which at least one, or exactly one, is required. A null counts as absent.
function choicesOf({ needs }: Operation): JsonSchema {
  const [need, ...others] = needs.filter(({ inputs }) => inputs.every(({ place }) => place.in === 'body'));
  if (need === undefined || others.length > 0) return {};
  const present = need.inputs.map(({ field }) => ({
    required: [field],
    properties: { [field]: { not: { type: 'null' } } },
  }));
  return { [need.atLeast ? 'anyOf' : 'oneOf']: present };
}

class ObjectSchema {
  readonly #fields = new Map<string, JsonSchema | ObjectSchema>();
  readonly #required = new Set<string>();

  put([key = '', ...rest]: readonly string[], schema: JsonSchema, required: boolean): void {
    if (required) this.#required.add(key);
    if (rest.length === 0) {
      this.#fields.set(key, schema);
      return;
    }
    const known = this.#fields.get(key);
    const nested = known instanceof ObjectSchema ? known : new ObjectSchema();
    this.#fields.set(key, nested);
    nested.put(rest, schema, required);
  }

  schema(): JsonSchema {
    const properties = [...this.#fields].map(([key, field]) => [
      key,
      field instanceof ObjectSchema ? field.schema() : field,
    ]);
    const required = [...this.#required];
    return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 ? { required } : {}) };
  }
}
