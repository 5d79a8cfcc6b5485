import { describe, expect, test } from 'vitest';
import {
  configurationReadingLines,
  decidePushRefusal,
  type ConfigurationReading,
  type KnownPush,
} from '../../../src/domain/configuration/index.ts';

describe('a configuration from a push', () => {
  test.each<[string, KnownPush, RegExp | null]>([
    ['with a token that may write configurations is judged by its content', { by: 'ada', mayConfigure: true }, null],
    ['past the host is judged by its content', 'past the host', null],
    [
      'of an unknown user, by a landing, is refused',
      'unknown',
      /^no push of this change by a token with the scope config:write is known\. With that scope, push another change/,
    ],
    [
      'with another token is refused with the missing scope',
      { by: 'ada', mayConfigure: false },
      /^the token with which ada pushed the file lacks the scope config:write\. /,
    ],
  ])('%s', (_what, push, refusal) => {
    expect(decidePushRefusal(push) ?? '').toMatch(refusal ?? /^$/);
  });

  test.each<[ConfigurationReading, string[]]>([
    [{ kind: 'unchanged' }, []],
    [{ kind: 'accepted', commit: 'c' }, ['Interlock: .service/config.yml is in force.']],
    [
      { kind: 'refused', commit: 'c', errors: ['a: is required', 'b: is wrong'] },
      [
        'Interlock: .service/config.yml is refused. The configuration before it stays in force.',
        '  a: is required',
        '  b: is wrong',
      ],
    ],
  ])('is reported to the person who pushed it: %j', (reading, lines) => {
    expect(configurationReadingLines(reading)).toEqual(lines);
  });
});
