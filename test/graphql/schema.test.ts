import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isSpecifiedScalarType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { emitSchema } from '../../src/graphql/emit.ts';
import {
  DateTime,
  GitObjectID,
  NameWithOwner,
  PageNumber,
  PageSize,
  PullRequestNumber,
  URI,
} from '../../src/graphql/scalars.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import { projectRoot } from '../../src/platform/project-root.ts';

const schema = interlockSchema();

describe('the schema', () => {
  it('is the committed schema', () => {
    expect(emitSchema()).toBe(readFileSync(join(projectRoot, 'schema', 'schema.graphql'), 'utf8'));
  });

  it('describes every type, field, argument and input', () => {
    const bare: string[] = [];
    const note = (name: string, description: string | null | undefined): void => {
      if (!description?.endsWith('.')) bare.push(name);
    };
    for (const type of Object.values(schema.getTypeMap())) {
      if (type.name.startsWith('__') || isSpecifiedScalarType(type) || type.name === 'JSON') continue;
      if (!['Query', 'Mutation', 'Subscription'].includes(type.name)) note(type.name, type.description);
      if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
        for (const field of Object.values(type.getFields())) {
          note(`${type.name}.${field.name}`, field.description);
          // The only argument of a mutation is described by its type.
          if (type.name === 'Mutation') continue;
          if ('args' in field)
            for (const argument of field.args)
              note(`${type.name}.${field.name}(${argument.name})`, argument.description);
        }
      }
    }
    expect(bare).toEqual([]);
  });

  it('has enum values in capitals', () => {
    const names = Object.values(schema.getTypeMap()).flatMap((type) =>
      isEnumType(type) && !type.name.startsWith('__') ? type.getValues().map(({ name }) => name) : [],
    );
    expect(names.filter((name) => !/^[A-Z][A-Z_]*$/.test(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(50);
  });

  it('has a payload and one input for each mutation', () => {
    for (const { name, type, args } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      expect([name, String(type)]).toEqual([name, expect.stringMatching(/Payload!$/)]);
      expect(args.map((argument) => [argument.name, String(argument.type)])).toEqual([
        ['input', expect.stringMatching(/Input!$/)],
      ]);
    }
  });
});

describe('scalars', () => {
  it.each([
    [PullRequestNumber, '12', 12],
    [PullRequestNumber, 12, 12],
    [PullRequestNumber, '9'.repeat(400), 2 ** 31 - 1],
    [PageNumber, '1', 1],
    [PageSize, '100', 100],
    [PageNumber, 10 ** 30, 2 ** 46],
    [GitObjectID, 'A'.repeat(40), 'a'.repeat(40)],
    [URI, 'https://a.test/x', 'https://a.test/x'],
    [NameWithOwner, 'a/b', 'a/b'],
    [DateTime, '2026-01-02T03:04:05+01:00', new Date('2026-01-02T02:04:05Z')],
  ] as const)('%s reads %j', (scalar, value, read) => expect(scalar.parseValue(value)).toEqual(read));

  it.each([
    [
      PullRequestNumber,
      ['0', 0, -1, 1.5, '', '1e3', 'x', '12 ', '012', true, null, [12]],
      'must be a pull request number',
    ],
    [PageSize, [0, 101, '1000', 1.5, 'x'], 'must be an integer between 1 and 100'],
    [PageNumber, [0, '0', '01', 'x', 1.5], 'must be an integer of at least 1'],
    [GitObjectID, ['a'.repeat(39), 'g'.repeat(40), 'HEAD', 7], 'must be a full Git object id of 40 hexadecimal digits'],
    [URI, ['/x', 'ftp://a.test', 'javascript:alert(1)', 7], 'must be an absolute http or https URL'],
    [NameWithOwner, ['a', 'a/b/c', '/b', 'a/', 'a b/c'], 'must be a repository as <org>/<name>'],
    [
      DateTime,
      [
        '2026-01-02',
        '2026-02-30T00:00:00Z',
        '2026-01-02T03:04:05',
        '2026-13-01T00:00:00Z',
        '0000-12-31T23:59:59Z',
        '9999-12-31T23:59:59-00:01',
        7,
      ],
      'must be an RFC 3339 date and time, such as 2026-01-31T12:00:00Z',
    ],
  ] as const)('%s refuses wrong values with a message that describes the right ones', (scalar, values, message) => {
    const taken = values.filter((value) => {
      try {
        scalar.parseValue(value);
        return true;
      } catch (error) {
        return (error as Error).message !== message;
      }
    });
    expect(taken).toEqual([]);
  });

  it('DateTime writes instants in UTC with milliseconds', () => {
    expect(DateTime.serialize(new Date('2026-01-02T03:04:05Z'))).toBe('2026-01-02T03:04:05.000Z');
    expect(DateTime.serialize('2026-01-02 03:04:05+00')).toBe('2026-01-02T03:04:05.000Z');
  });
});
