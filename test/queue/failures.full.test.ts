// Optimistic validation with a failure depth of two, and a batch that no other pull request joins.
import { describe, expect, it } from 'vitest';
import { parallel, world } from '../support/world.ts';
import { expectLandedOnce, line, resetCodes, startCi, turnsAt } from './stories.ts';
import { builtTogether } from './failures.ts';

describe('a red build', () => {
  it('is passed by a later green build, with a second red build between them, if the failure depth is two', async () => {
    const { w, numbers } = await builtTogether(
      ['broken', 'other', 'repair'],
      'optimistic_validation_failure_depth: 2\n',
    );
    await using _ = w;
    await using _ci = await startCi(w);
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect(await line(w)).toEqual(['Land #1, #2 and #3']);
  });
});

describe('a time limit', () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);

  it('ends the wait of a batch that no other pull request joined', async () => {
    await using w = await world({
      configuration: parallel({ builds: 2, batch: 2, more: 'batch_max_wait_minutes: 10\n' }),
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    await turnsAt(w, minutes(0));
    expect(await w.batches()).toEqual([]);
    await turnsAt(w, minutes(11));
    expect((await w.batches()).map((batch) => batch.members)).toEqual([[number]]);
    await w.settled(number);
    await expectLandedOnce(w, number);
    expect(await resetCodes(w)).toEqual([]);
  });
});
