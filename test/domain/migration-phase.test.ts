import { describe, expect, it } from 'vitest';
import { findIncompatible, parsePhase } from '../../src/platform/migration-phase.ts';

describe('the phase of a migration is its first line', () => {
  it.each([
    ['-- Phase: expand\ncreate table a ();', { unusedSince: null }],
    ['-- Phase: contract, unused since v1.2.0\ndrop table a;', { unusedSince: '1.2.0' }],
    ['-- Phase: contract\ndrop table a;', null],
    ['-- Phase: contract, unused since 1.2\ndrop table a;', null],
    ['create table a ();\n-- Phase: expand\n', null],
    ['', null],
  ])('%j', (sql, phase) => {
    expect(parsePhase(sql)).toEqual(phase);
  });
});

describe('a version can run beside newer migrations', () => {
  const phases = new Map([
    ['0040_more', { unusedSince: null }],
    ['0041_less', { unusedSince: '1.2.0' }],
  ]);
  it.each([
    ['that only add', ['0040_more'], '0.1.0', []],
    ['that remove what this version does not use', ['0040_more', '0041_less'], '1.2.0', []],
    ['that remove what an earlier version was the last to use', ['0041_less'], '1.10.0', []],
    ['but not if this version still uses what they remove', ['0040_more', '0041_less'], '1.1.9', ['0041_less']],
    ['but not if their phase is unknown', ['0040_more', '0042_other'], '9.0.0', ['0042_other']],
  ])('%s', (_, unknown, version, incompatible) => {
    expect(findIncompatible(unknown, phases, version)).toEqual(incompatible);
  });
});
