// The ways of merging: by refs of ours, by the host's own merge, untested. Whatever hangs, dies or is pushed meanwhile.
import { describe, expect, it, vi } from 'vitest';
import { carryOut } from '../../src/modules/queue/index.ts';
import { onFailpoint } from '../../src/modules/queue/failpoints.ts';
import { findUnknownLandings } from '../../src/modules/queue/unknown-landings.ts';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, expectVerified, hostOf, line } from './stories.ts';

/** The first worker that comes past the failpoint hangs there until it is let go. */
function hangAt(failpoint: string): { readonly isHanging: () => boolean; readonly letGo: () => void } {
  const gate = Promise.withResolvers<void>();
  let passed = 0;
  const disarm = onFailpoint(failpoint, async () => {
    passed += 1;
    if (passed === 1) await gate.promise;
  });
  return {
    isHanging: () => passed > 0,
    letGo: () => {
      disarm();
      gate.resolve();
    },
  };
}

async function begunLanding(w: World): Promise<string> {
  const [intent] = await w.rows<{ id: string }>("select id from intent where kind = 'land' and state = 'begun'");
  return intent?.id ?? '';
}

describe('a landing that was given up', () => {
  it('cannot happen later, though the base is pushed back to where it was while its worker still hangs', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    const base = await w.git('rev-parse', 'main');
    const zombie = hangAt('landing:before_move');
    const settled = w.settled(number);
    await vi.waitFor(() => expect(zombie.isHanging()).toBe(true), { timeout: 20_000 });

    const outside = await w.commit('main', { 'outside.txt': 'outside\n' });
    await carryOut(w.ctx, await begunLanding(w));
    await w.git('update-ref', 'refs/heads/main', base, outside);
    zombie.letGo();
    await settled;

    await expectLandedOnce(w, number);
    expect(await line(w)).toEqual(['Add a (#1)']);
    const refs = (await w.git('for-each-ref', '--format=%(objectname)', 'refs/interlock/landings/')).split('\n');
    expect(refs).toHaveLength(2);
    const [, landed] = refs;
    expect(landed).toBe((await w.status(number)).merge_commit_sha);
    await expectVerified(w, { same_tree: 1 });
    // A restored database knows nothing of it: the tombstone speaks for itself, and the landing does not.
    const host = { ...hostOf(w), host: 'local' as const };
    await w.rows('update batch set given_up = false');
    expect(await findUnknownLandings(w.ctx, host)).toEqual([]);
  });
});
