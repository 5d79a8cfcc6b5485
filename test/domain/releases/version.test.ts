import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { parseVersion, requireVersion } from '../../../src/domain/releases/version.ts';

describe('the version of a candidate', () => {
  it.each([
    ['1.4-rc1', { release: '1.4', number: 1 }],
    ['v2-rc-rc0', { release: 'v2-rc', number: 0 }],
    ['1-rc1-rc2', { release: '1-rc1', number: 2 }],
    ['ü-rc999999999', { release: 'ü', number: 999_999_999 }],
  ])('%s is read', (text, version) => {
    expect(parseVersion(text)).toEqual(version);
  });

  it.each([
    '1.4',
    '-rc1',
    '1.4-rc',
    '1.4-rc01',
    '1.4-rc1 ',
    '1.4 -rc1',
    'a/b-rc1',
    '1-RC1',
    '1-rc1234567890',
    '1-rc-1',
    '1-rc1\n',
    '',
  ])('%j is refused', (text) => {
    expect(parseVersion(text)).toBeNull();
    expect(() => requireVersion(text)).toThrow('Invalid release candidate version');
  });

  it('has at most 200 characters, and can be made from its parts again', () => {
    expect(parseVersion(`${'a'.repeat(196)}-rc1`)).not.toBeNull();
    expect(parseVersion(`${'a'.repeat(197)}-rc1`)).toBeNull();
    fc.assert(
      fc.property(fc.stringMatching(/^[^/\s]{1,100}$/), fc.nat(999_999_999), (release, number) => {
        expect(parseVersion(`${release}-rc${number}`)).toEqual({ release, number });
      }),
    );
  });
});
