import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Operation } from '../compile.ts';
import { facadeDirectory } from '../documents.ts';

export type Json = Readonly<Record<string, unknown>>;
/** The operations of one method and path. */
export type Group = readonly [Operation, ...Operation[]];

/** The examples by operation: its `parameters`, its `request`, and its answers by status. */
export type Examples = Readonly<Record<string, Readonly<Record<string | number, unknown>>>>;

export function loadExamples(): Examples {
  return parse(readFileSync(path.join(facadeDirectory, 'examples.yaml'), 'utf8')) as Examples;
}

export function examplesOf(group: Group, part: 'request' | number, examples: Examples): Json {
  const found = group.flatMap(({ name }) => {
    const value = examples[name]?.[part];
    return value === undefined ? [] : [[name, { value }]];
  });
  return found.length > 0 ? { examples: Object.fromEntries(found) } : {};
}
