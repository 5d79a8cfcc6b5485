// Changes that arrive after a landing has started, or after the host has carried it out but before it is recorded.
// Nothing stops the landing: it lands the pinned heads, once. The changes are handled afterwards.
import { describe, expect, it } from 'vitest';
import { carryOut, setRepositoryActive, syncPullRequest } from '../../src/modules/queue/index.ts';
import { HostRefused, HostUnavailable } from '../../src/hosts/port.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { among, inFull } from '../support/tier.ts';
import { parallel, world, type World } from '../support/world.ts';
import {
  dequeueAnswer,
  dyingAt,
  expectLandedOnce,
  hostOf,
  line,
  meanwhile,
  retarget,
  statuses,
  wakeAll,
} from './stories.ts';
import { landingDone, landingStarted, twoInLine } from './arrivals.landing.ts';

async function landingOf(w: World): Promise<string> {
  const [intent] = await w.rows<{ id: string }>("select id from intent where kind = 'land' and state = 'started'");
  return intent?.id ?? '';
}

/** Ada puts the trigger label on, or takes it off. */
async function trigger(w: World, number: number, present: boolean): Promise<void> {
  await w.host.label(number, 'mergequeue', present, 'ada');
  await w.service.drain();
}

/** Makes the newest move of the base branch three minutes older, and all reads of pull requests too. */
async function letThreeMinutesPass(w: World): Promise<void> {
  await w.rows("update queue set base_moved_at = base_moved_at - interval '3 minutes'");
  await w.rows("update pull_request set read_at = read_at - interval '3 minutes'");
}

/** The comments on a pull request about commits that came too late to land. */
async function leftOut(w: World, number: number): Promise<string[]> {
  const comments = await w.host.comments(number);
  return comments.filter((comment) => comment.key === 'left-out').map((comment) => comment.body);
}

describe.each(among([landingStarted, landingDone], [landingDone]))('at %s', (moment) => {
  it('a request to dequeue waits two seconds and is refused, and the pull request is merged', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const asked = async () => {
      const from = performance.now();
      expect(await dequeueAnswer(w, a)).toBe('LANDING_IN_PROGRESS');
      expect(performance.now() - from).toBeGreaterThan(1_900);
      expect((await w.status(a)).status).not.toBe('open');
    };
    await meanwhile(moment, asked, () => w.settled(a, b));
    await expectLandedOnce(w, a, b);
    expect((await w.events()).map(([action]) => action)).not.toContain('dequeued');
  });

  it('if the landing ends within these two seconds, a request to dequeue is answered with NOT_QUEUEABLE', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    let answer: Promise<string> | undefined;
    // The clock of the request does not move, so the two seconds of the request never pass.
    const now = new Date();
    await meanwhile(
      moment,
      async () => void (answer = dequeueAnswer(w, a, () => now)),
      () => w.settled(a, b),
    );
    expect(await answer).toBe('NOT_QUEUEABLE');
    await expectLandedOnce(w, a, b);
  });

  it('a push to the head is recorded, and the head that was tested lands', async () => {
    const { w, a, b } = await twoInLine('delete_branch: true\n');
    await using _ = w;
    const pinned = (await w.status(a)).head_sha;
    await meanwhile(
      moment,
      async () => void (await w.commit('a', { 'late.txt': 'late\n' })),
      () => w.settled(a, b),
    );
    await expectLandedOnce(w, a, b);
    expect(await w.git('ls-tree', '--name-only', 'main')).not.toContain('late.txt');
    expect((await w.status(a)).head_sha).not.toBe(pinned);
    expect(await w.rows('select 1 from landed_member where pinned_head = $1', [pinned])).toHaveLength(1);
    // The branch of a stays, with a comment about the commits that were left out. The branch of b is deleted.
    expect(await w.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')).toBe('a\nmain');
    expect(await leftOut(w, a)).toEqual([expect.stringContaining(pinned)]);
    expect(await leftOut(w, b)).toEqual([]);
  });

  it('if a worker dies, there is one landing, and the next worker concludes it', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    await dyingAt(w, moment, () => w.settled(a, b));
    await expectLandedOnce(w, a, b);
    const attempts = await w.rows<{ attempt: number }>("select attempt from intent where kind = 'land' order by id");
    expect(attempts.map((intent) => intent.attempt)).toEqual([2, 1]);
  });

  it('if a second worker takes the first for dead, the pull request lands once, and the first worker finds the landing done', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    await meanwhile(
      moment,
      async () => await carryOut(w.ctx, await landingOf(w)),
      () => w.settled(a, b),
    );
    await expectLandedOnce(w, a, b);
  });

  it('a member that is closed at the host is merged nevertheless', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const close = async () => {
      await w.host.close(a);
      await w.service.drain();
    };
    await meanwhile(moment, close, () =>
      w.until(async () => (await statuses(w, a, b)).every((status) => status === 'merged')),
    );
    await expectLandedOnce(w, a, b);
  });
});

describe('a push to the base', () => {
  const push = async (w: World) => void (await w.commit('main', { 'outside.txt': 'o\n' }, { message: 'Outside' }));

  it('after a landing has started, the push wins: the landing fails, and the batch is built again on the pushed commit', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    await meanwhile(
      landingStarted,
      () => push(w),
      () => w.settled(a, b),
    );
    await expectLandedOnce(w, a, b);
    expect(await line(w)).toEqual(['Outside', 'Add a (#1)', 'Add b (#2)']);
    expect(await w.rows("select 1 from intent where kind = 'land' and state = 'failed'")).toHaveLength(1);
  });

  it.each(inFull(landingStarted))(
    'at %s, together with a push to a head: the landing fails, and the new head is not built until it is queued',
    async (moment) => {
      const { w, a, b } = await twoInLine();
      await using _ = w;
      const pushBoth = async () => {
        await w.commit('a', { 'late.txt': 'late\n' });
        await push(w);
        await w.service.drain();
      };
      await meanwhile(moment, pushBoth, () => w.settled(a, b));
      expect(await statuses(w, a, b)).toEqual(['blocked 116', 'merged']);
      expect(await line(w)).toEqual(['Outside', 'Add b (#2)']);
    },
  );

  it.each<[what: string, act: (w: World, number: number) => Promise<unknown>, after: string[], actors: unknown[]]>([
    ['a label that is taken off', (w, a) => trigger(w, a, false), ['open', 'merged'], ['ada']],
    [
      'a label that is taken off and put back',
      async (w, a) => {
        await trigger(w, a, false);
        await trigger(w, a, true);
      },
      ['merged', 'merged'],
      [],
    ],
    [
      'a label that is taken off, and a request to queue the pull request',
      async (w, a) => {
        await trigger(w, a, false);
        await w.queue(a);
      },
      ['merged', 'merged'],
      [],
    ],
    [
      'a deactivation of the repository',
      (w) => setRepositoryActive(w.ctx, { repository: w.repository, active: false }),
      ['open', 'open'],
      [expect.any(String), expect.any(String)],
    ],
  ])('after a landing has started, together with %s: the request holds', async (_what, act, after, actors) => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await trigger(w, a, true);
    await trigger(w, b, true);
    const actAndPush = async () => {
      await act(w, a);
      await push(w);
    };
    await meanwhile(landingStarted, actAndPush, () =>
      w.until(async () => (await statuses(w, a, b)).join() === after.join()),
    );
    const dequeued = await w.rows<{ actor: string }>("select actor from event where action = 'dequeued'");
    expect(dequeued.map(({ actor }) => actor)).toEqual(actors);
  });

  it('by a merge at the host after a landing has started: the pull request is merged, and does not land again', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const first = await w.open('first', { 'first.txt': 'first\n' });
    await w.queue(first);
    await w.settled(first);
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(a);
    const mergeAtHost = async () => {
      const commit = await w.commit('main', { 'a.txt': 'a\n' }, { message: `Add a (#${a})` });
      await w.rows(
        "update local_pull_request set state = 'merged', merged_at = now(), merge_commit_sha = $2 where number = $1",
        [a, commit],
      );
      await syncPullRequest(w.ctx, { ...hostOf(w), host: 'local' }, a);
    };
    await meanwhile(landingStarted, mergeAtHost, () => w.settled(a));
    await expectLandedOnce(w, first, a);
    expect(await line(w)).toEqual([`Add first (#${first})`, `Add a (#${a})`]);
  });

  it('by a merge at the host after a landing has started, while the host shows no pull requests: it does not land again', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const mergeAtHost = async () => {
      const commit = await w.commit('main', { 'a.txt': 'a\n' }, { message: `Merge a (#${a})` });
      await w.rows(
        "update local_pull_request set state = 'merged', merged_at = now(), merge_commit_sha = $2 where number = $1",
        [a, commit],
      );
      // The host can be read again when the next build is made.
      replaceHostMethod(w, 'getPullRequest', (original) => async (repository, number, reading) => {
        if (number === a && reading?.isForLanding !== true) throw new HostUnavailable('502 Bad Gateway');
        return await original(repository, number, reading);
      });
    };
    await meanwhile(landingStarted, mergeAtHost, () => w.until(async () => (await line(w)).includes(`Add b (#${b})`)));
    expect(await line(w)).toEqual([`Merge a (#${a})`, `Add b (#${b})`]);
    expect(await statuses(w, a)).toEqual(['merged']);
  });

  it('by a merge at the host after a landing has started, while the host fails for longer than a few minutes: it does not land again', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    let isAway = true;
    const mergeAtHost = async () => {
      const commit = await w.commit('main', { 'a.txt': 'a\n' }, { message: `Merge a (#${a})` });
      await w.rows(
        "update local_pull_request set state = 'merged', merged_at = now(), merge_commit_sha = $2 where number = $1",
        [a, commit],
      );
      replaceHostMethod(w, 'getPullRequest', (original) => async (repository, number, reading) => {
        if (isAway && number === a) throw new HostUnavailable('502 Bad Gateway');
        return await original(repository, number, reading);
      });
    };
    const goOn = async () => {
      await wakeAll(w);
      await w.until(async () => (await line(w)).includes(`Add b (#${b})`));
    };
    await meanwhile(landingStarted, mergeAtHost, async () => {
      await expect(goOn()).rejects.toThrow('502 Bad Gateway');
      await letThreeMinutesPass(w);
      await goOn().catch((error: unknown) => expect(error).toBeInstanceOf(HostUnavailable));
      isAway = false;
      await goOn();
    });
    expect(await line(w)).toEqual([`Merge a (#${a})`, `Add b (#${b})`]);
    expect(await statuses(w, a)).toEqual(['merged']);
  });

  it('after a landing has started, while the host refuses to show a pull request of it: the landing ends all the same', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const refuseAndPush = async () => {
      replaceHostMethod(w, 'getPullRequest', (original) => async (repository, number) => {
        if (number === a) throw new HostRefused('403 Forbidden');
        return await original(repository, number);
      });
      await push(w);
    };
    await meanwhile(landingStarted, refuseAndPush, () =>
      w.until(async () => (await line(w)).includes(`Add b (#${b})`)),
    );
    expect(await line(w)).toEqual(['Outside', `Add a (#${a})`, `Add b (#${b})`]);
    expect((await w.events()).map(([action]) => action)).not.toContain('queue_halted');
  });

  it('after a landing has started, together with another base branch for the pull request: it does not land', async () => {
    await using w = await world({ configuration: 'base_branches: [main, release]\nmerge_mode:\n  type: no-queue\n' });
    await w.git('branch', 'release', 'main');
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(a);
    const retargetAndPush = async () => {
      await retarget(w, a, 'release');
      await push(w);
    };
    await meanwhile(landingStarted, retargetAndPush, () => w.settled(a));
    expect(await statuses(w, a)).toEqual(['open']);
    expect(await line(w)).toEqual(['Outside']);
    const [comment] = (await w.host.comments(a)).filter(({ key }) => key.startsWith('reply:base:'));
    expect(comment?.body).toContain('The base branch of this pull request is `release` now, and was `main`.');
    await w.queue(a);
    await w.settled(a);
    expect(await line(w, 'release')).toEqual([`Add a (#${a})`]);
  });

  it('after a landing has started, together with another base branch that is changed back: the request holds', async () => {
    await using w = await world({ configuration: 'base_branches: [main, release]\nmerge_mode:\n  type: no-queue\n' });
    await w.git('branch', 'release', 'main');
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(a);
    const changeBaseTwice = async () => {
      for (const base of ['release', 'main']) {
        await retarget(w, a, base);
        await syncPullRequest(w.ctx, { ...hostOf(w), host: 'local' }, a);
      }
      await push(w);
    };
    await meanwhile(landingStarted, changeBaseTwice, () => w.settled(a));
    expect(await statuses(w, a)).toEqual(['merged']);
    expect((await w.host.comments(a)).filter(({ key }) => key.startsWith('reply:base:'))).toEqual([]);
  });

  it('if the worker dies after the host has moved the base, the landing ref shows the landing, and it is recorded once', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const pushAndDie = async () => {
      await push(w);
      throw new Error('the worker died');
    };
    await expect(meanwhile(landingDone, pushAndDie, () => w.settled(a, b))).rejects.toThrow('the worker died');
    await wakeAll(w);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
    expect(await line(w)).toEqual(['Add a (#1)', 'Outside', 'Add b (#2)']);
  });
});

describe('before the gate', () => {
  it('a dequeue wins: the landing is void, and the pull request is open', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    await meanwhile(
      'landing:before_gate',
      () => w.dequeue(a),
      () => w.settled(a, b),
    );
    expect(await statuses(w, a, b)).toEqual(['open', 'merged']);
    await expectLandedOnce(w, b);
  });
});
