import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import {
  configurationJsonSchema,
  configurationMarkdown,
  configurationSchema,
  defaultConfigurationYaml,
} from '../../../src/domain/configuration/index.ts';
import { listKeys } from '../../../src/domain/configuration/key.ts';
import { keyTable } from './keys.table.ts';
import { documentWith, problemsOf } from './support.ts';

const page = new URL('../../../docs/configuration.md', import.meta.url);

it('docs/configuration.md equals the text that the table of keys gives', () => {
  expect(readFileSync(page, 'utf8')).toBe(configurationMarkdown());
});

it('every key has a row of its own on the page', () => {
  const rows = configurationMarkdown()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows).toHaveLength(listKeys(configurationSchema).length);
});

describe('the JSON Schema', () => {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(configurationJsonSchema());
  it('accepts the first configuration of a repository', () => {
    expect(validate(parse(defaultConfigurationYaml))).toBe(true);
  });
  it('refuses unknown keys', () => {
    expect(validate({ merge_rule: {} })).toBe(false);
  });
  it('accepts every value that the parser accepts', () => {
    const refused = keyTable.flatMap(({ key, accepts }) =>
      accepts.filter((value) => !validate(parse(documentWith(key, value)))).map((value) => [key, value]),
    );
    expect(refused).toEqual([]);
  });
  it('describes each key, and says whether this version acts on it', () => {
    const text = JSON.stringify(configurationJsonSchema());
    const silent = listKeys(configurationSchema).filter(
      (entry) => !text.includes(JSON.stringify(entry.description).slice(1, -1)),
    );
    expect(silent).toEqual([]);
    expect(text).toContain('In this version: refused, except [].');
  });
});

it('the values that the page calls accepted are accepted', () => {
  for (const entry of listKeys(configurationSchema)) {
    for (const value of entry.accepts ?? []) expect(problemsOf(documentWith(entry.path.join('.'), value))).toEqual([]);
  }
});
