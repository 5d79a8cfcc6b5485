// The checks that the service itself reports, and names that look like such a check.
import { describe, expect, it } from 'vitest';
import { isCheckOfCi, isServiceCheck, unknownServiceCheck } from '../../../src/domain/queue/evidence/service-checks.ts';

describe('a required check', () => {
  it.each(['unit', 'ci/interlock', 'interlock', 'interlock/verify', 'interlock/*', 'interlock/v*'])(
    '%s may be required',
    (name) => expect(unknownServiceCheck(name)).toBeNull(),
  );

  it.each(['interlock/verfy', 'Interlock/verify', 'interlock/VERIFY', 'INTERLOCK/x', 'interlock/x*'])(
    '%s would be awaited for ever',
    (name) =>
      expect(unknownServiceCheck(name)).toBe(
        'is not a check of Interlock, although only checks of Interlock begin with interlock/: write interlock/verify',
      ),
  );
});

it('a check is one of the service by the beginning of its name, in lower case', () => {
  expect(['interlock/verify', 'interlock/x', 'Interlock/verify', 'interlock', 'unit'].map(isServiceCheck)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(isCheckOfCi('c.name')).toBe("c.name not like 'interlock/%'");
});
