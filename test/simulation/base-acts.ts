// What people do to base branches: push past the queue, delete `release` and make it again, and stop all landings.
import { isAnswered } from './acting.ts';
import { hasRelease } from './configurations.ts';
import { setHold, startedLandings, type Hold } from './holds.ts';
import type { Installation } from './installation.ts';
import { touch, type Act, type Promises, type Setting } from './promises.ts';

export function drawBase({ i, draw }: Setting): string {
  return i.configurations.some(hasRelease) && draw.chance(0.4) ? 'release' : 'main';
}

export function pushToBase(setting: Setting): Act {
  const { i, promises, by } = setting;
  const base = drawBase(setting);
  return {
    name: `push to ${base}`,
    subject: base,
    work: async () => {
      if (!(await i.git.hasBranch(base))) return;
      const files = { [`direct-${promises.direct.size}.txt`]: 'direct\n' };
      promises.direct.add(await i.git.commit({ branch: base, onto: base, files, message: 'Past the queue' }));
      await isAnswered(by.service.localHost.reconcile(i.repository));
    },
  };
}

/**
 * Makes the branch `release` again: from `main` if the service knows that it was deleted, otherwise where it was.
 * Another branch that was made again unseen would be a forced push, and would have lost landings.
 */
export async function makeRelease(i: Installation, promises: Promises): Promise<void> {
  const [known] = await i.rows<{ isDeleted: boolean }>(
    `select base_tip is null and last_deleted_landing_id is not distinct from
       (select max(l.id) from landing l where l.account_id = queue.account_id and l.queue_id = queue.id) as "isDeleted"
     from queue where base_branch = 'release'`,
  );
  promises.deleted.add('release');
  i.git.writeRef('release', known?.isDeleted === true ? await i.git.tip() : promises.deletedRelease);
}

/** Somebody deletes the branch `release`, or makes it again. */
export function changeRelease({ i, promises, by }: Setting): Act {
  return {
    name: 'delete or make release',
    subject: 'release',
    work: async () => {
      for (const each of promises.pullRequests) if (each.base === 'release') touch(promises, each);
      if (await i.git.hasBranch('release')) {
        promises.deleted.add('release');
        promises.deletedRelease = await i.git.tip('release');
        await i.git.run('update-ref', '-d', 'refs/heads/release');
      } else await makeRelease(i, promises);
      await isAnswered(by.service.localHost.reconcile(i.repository));
    },
  };
}

export function hold({ i, promises, by }: Setting, kind: Hold): Act {
  return {
    name: kind,
    subject: kind,
    work: async () => {
      promises.stopped.add(kind);
      // A deactivation takes all pull requests out of the line.
      if (kind === 'deactivation') for (const each of promises.pullRequests) touch(promises, each);
      if (!(await isAnswered(setHold(by, kind, true)))) return;
      promises.held[kind] = await startedLandings(i, kind);
    },
  };
}

export function release({ promises, by }: Setting, kind: Hold): Act {
  return {
    name: `end the ${kind}`,
    subject: kind,
    work: async () => {
      promises.held[kind] = null;
      if (await isAnswered(setHold(by, kind, false))) promises.stopped.delete(kind);
    },
  };
}
