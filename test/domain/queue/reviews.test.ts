// Separation of duty: whose approval counts for a pull request.
import { describe, expect, it } from 'vitest';
import { countReviews, isAuthor, type Review } from '../../../src/domain/queue/requests/reviews.ts';

const approved = (reviewer: string): Review => ({ reviewer, verdict: 'approved' });
const refused = (reviewer: string): Review => ({ reviewer, verdict: 'changes_requested' });

describe('a reviewer', () => {
  it.each([
    ['with the name of an author is the author', ['ada'], ['ada'], true],
    ['with one of several names of an author is the author', ['ada', 'ada@acme.test'], ['ada@acme.test'], true],
    ['is the author in any spelling of the name', ['Ada', 'ADA@acme.test'], ['@aDa'], true],
    ['is the author with blanks around the name', [' ada '], ['ada\n'], true],
    ['is not the author because of a sign in the middle of the name', ['ada@acme'], ['adaacme'], false],
    ['is the author if there are other authors too', ['bob'], ['ada', 'bob'], true],
    ['with another name is not the author', ['bob', 'bob@acme.test'], ['ada', 'ada@acme.test'], false],
    ['whose name only begins alike is not the author', ['ada'], ['ada-lovelace', 'ad'], false],
    ['is not the author if no author is known', ['ada'], [], false],
    ['without a name is not the author', [], ['ada'], false],
  ])('%s', (_what, names, authors, expected) => {
    expect(isAuthor(names, authors)).toBe(expected);
  });
});

describe('what counts', () => {
  it.each([
    ['nothing, if there are no reviews', [], ['ada'], 0, false],
    ['the approval of another person', [approved('bob')], ['ada'], 1, false],
    ['no approval by the author', [approved('ada')], ['ada'], 0, false],
    ['no approval by a person who opened it in the name of another', [approved('bob')], ['ada', 'bob'], 0, false],
    [
      'the approval of the reviewer who is not an author',
      [approved('bob'), approved('cleo')],
      ['ada', 'bob'],
      1,
      false,
    ],
    ['a request for changes by a person who is not an author', [refused('bob'), approved('cleo')], ['ada'], 1, true],
    ['no request for changes by an author', [refused('bob'), approved('cleo')], ['ada', 'BOB'], 1, false],
  ] as const)('is %s', (_what, reviews, authors, approvals, changesRequested) => {
    expect(countReviews(reviews, authors)).toEqual({ approvals, changesRequested });
  });
});
