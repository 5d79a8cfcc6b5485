// What people do to all builds or to one of them: change the configuration, and cancel or repeat the check of a build.
import { replaceConfiguration } from '../../src/modules/repositories/index.ts';
import { worldName } from '../support/world-template.ts';
import { admin, isAnswered } from './acting.ts';
import type { Act, Setting } from './promises.ts';

/** Somebody cancels the check of a commit. It proves nothing then. A build is repeated; the check of a head is not. */
export function cancel({ i, by }: Setting, commit: string): Act {
  return {
    name: `cancel the check of ${commit}`,
    subject: commit,
    work: async () => void (await isAnswered(by.service.localHost.cancelChecks(i.repository, commit))),
  };
}

/** Somebody runs the check of a commit again. The newest result of a check counts. */
export function rerun({ i, by }: Setting, commit: string): Act {
  return {
    name: `run the check of ${commit} again`,
    subject: commit,
    work: async () => void (await isAnswered(by.service.localHost.rerunChecks(i.repository, commit, ['test']))),
  };
}

export function configure({ i, by, draw }: Setting): Act {
  const [first = '', second = '', ...others] = i.configurations;
  const yaml = others.length > 0 && draw.chance(0.5) ? draw.pick(others) : draw.pick([first, second]);
  return {
    name: 'configure',
    subject: 'configuration',
    work: async () => void (await isAnswered(replaceConfiguration(admin(by.ctx), { repository: worldName, yaml }))),
  };
}
