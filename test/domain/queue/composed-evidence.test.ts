import { describe, expect, it } from 'vitest';
import { isComposed, type Composition } from '../../../src/domain/queue/evidence/composed-evidence.ts';
import type { Targets } from '../../../src/domain/queue/model/overlap.ts';

const of = (name: string, targets: Targets = [name]) => ({ pullRequest: name, head: `head of ${name}`, targets });
const pinned = (name: string) => ({ pullRequest: name, head: `head of ${name}` });
const landed = (commit: string, firstParent: string, ...members: ReturnType<typeof of>[]) => ({
  commit,
  firstParent,
  members,
});
const shared: Targets = ['shared'];

/** `p` was built green on `0`, by itself; since then the base moved to `1`. */
const usual: Composition = {
  tip: '1',
  members: [of('p')],
  parts: [{ base: '0', content: [pinned('p')] }],
  landings: [landed('1', '0', of('q'))],
};

describe('a landing is justified by green builds of its parts', () => {
  it.each<[string, Partial<Composition>]>([
    ['when what landed since is disjoint', {}],
    ['when nothing landed since', { tip: '0', landings: [] }],
    [
      'when what it assumed landed since, whatever else did that is disjoint',
      {
        members: [of('p', shared)],
        parts: [{ base: '0', content: [pinned('a'), pinned('p')] }],
        tip: '2',
        landings: [landed('1', '0', of('a', shared)), landed('2', '1', of('q'))],
      },
    ],
    [
      'when what it assumed lands with it',
      {
        members: [of('a', shared), of('p', shared)],
        parts: [{ base: '0', content: [pinned('a'), pinned('p')] }],
      },
    ],
    [
      'when its parts are disjoint',
      {
        members: [of('p'), of('r')],
        parts: [
          { base: '0', content: [pinned('p')] },
          { base: '1', content: [pinned('r')] },
        ],
      },
    ],
    [
      'when of what landed together the overlapping were assumed and the others are disjoint',
      {
        members: [of('p', shared)],
        parts: [{ base: '0', content: [pinned('a'), pinned('p')] }],
        landings: [landed('1', '0', of('a', shared), of('z', ['z']))],
      },
    ],
  ])('%s', (_name, change) => expect(isComposed({ ...usual, ...change })).toBe(true));
});

describe('and not', () => {
  it.each<[string, Partial<Composition>]>([
    ['without any build', { parts: [] }],
    ['when what landed since overlaps it', { landings: [landed('1', '0', of('q', ['p']))] }],
    ['when its targets are not known', { members: [of('p', null)] }],
    ['when those of what landed are not known', { landings: [landed('1', '0', of('q', null))] }],
    ['when somebody pushed to the base', { landings: [{ commit: '1', firstParent: '0', members: null }] }],
    ['when its base was never the tip', { parts: [{ base: 'elsewhere', content: [pinned('p')] }] }],
    ['when what landed last is not known', { tip: '2' }],
    ['when what it assumed is still to land', { parts: [{ base: '0', content: [pinned('a'), pinned('p')] }] }],
    [
      'when what it assumed landed with another head',
      {
        parts: [{ base: '0', content: [pinned('q'), pinned('p')] }],
        landings: [landed('1', '0', { ...of('q'), head: 'another' })],
      },
    ],
    ['when its own head is another', { members: [{ ...of('p'), head: 'another' }] }],
    ['when a member is in no part', { members: [of('p'), of('r')] }],
    [
      'when its parts overlap',
      {
        members: [of('p', shared), of('r', shared)],
        parts: [
          { base: '0', content: [pinned('p')] },
          { base: '0', content: [pinned('r')] },
        ],
      },
    ],
  ])('%s', (_name, change) => expect(isComposed({ ...usual, ...change })).toBe(false));
});
