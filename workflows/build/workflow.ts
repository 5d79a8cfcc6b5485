// The build of one release candidate: trigger its provider, hear how it goes, ready or failed. The row says what is
// needed next, so that a lost or doubled run changes nothing.
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { driveByRows, type DrivenResult } from '../shared/driven.ts';
import { locallyFirst } from '../shared/locally-first.ts';
import { releaseCandidateAttribute, repositoryAttribute } from '../shared/search-attributes.ts';
import { attendance, providerCall, turn, turnLocally } from '../shared/timeouts.ts';
import type { BuildActivities } from './activities.ts';
import { buildLookSignal, type BuildInput } from './messages.ts';

const advance = locallyFirst(
  proxyLocalActivities<BuildActivities>(turnLocally).advanceBuild,
  proxyActivities<BuildActivities>(turn).advanceBuild,
);
const { carryOutBuild } = proxyActivities<BuildActivities>(providerCall);
const { carryOutBuild: attendTo } = proxyActivities<BuildActivities>(attendance);

export async function build(input: BuildInput): Promise<DrivenResult> {
  return await driveByRows(input, {
    signal: buildLookSignal,
    advance,
    carryOut: carryOutBuild,
    attendTo,
    attributes: ({ repository, version }) => [
      { key: repositoryAttribute, value: repository },
      { key: releaseCandidateAttribute, value: version },
    ],
  });
}
