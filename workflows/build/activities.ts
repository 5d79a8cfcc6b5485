import type { Ports } from '../../src/context.ts';
import { advanceBuild, carryOutBuild, type Attending, type BuildAdvance } from '../../src/modules/releases/index.ts';
import { createDrivenActivities } from '../shared/activities.ts';
import type { DrivenActivities } from '../shared/driven.ts';
import type { BuildInput } from './messages.ts';

export type { BuildAdvance };
export type BuildActivities = DrivenActivities<'Build', BuildInput, BuildAdvance>;

export function createBuildActivities(ports: Ports, attending: Attending): BuildActivities {
  return createDrivenActivities(ports, attending, {
    kind: 'Build',
    idOf: ({ candidateId }: BuildInput) => candidateId,
    advance: advanceBuild,
    carryOut: carryOutBuild,
  });
}
