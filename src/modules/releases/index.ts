export { createRelease } from './candidates.service.ts';
export {
  cancelDeployment,
  createDeployment,
  reportDeployment,
  rollBackEnvironment,
} from './deployments.service.ts';
export type { ReleaseDriving } from './driving/supervise-run.ts';
export { advanceBuild, type BuildAdvance } from './driving/build.advance.ts';
export { carryOutBuild } from './driving/build.carry-out.ts';
export { advanceDeployment, type DeploymentAdvance } from './driving/deployment.advance.ts';
export { carryOutDeployment } from './driving/deployment.carry-out.ts';
export { countOpenBuilds, closeOpenBuilds, countOpenDeployments, closeOpenDeployments } from './driving/recovery.ts';
export { releasesAreDue, wakeDueReleases } from './deployments.wake.ts';
export { createEnvironment } from './environments.service.ts';
export { announceDueFreezes, freezesAreDue } from './freezes.timer.ts';
export { candidatesAreDue, lookAtNewCandidates, reconcileReleases } from './provenance/candidate-pins.ts';
export { createReleaseProject } from './projects.service.ts';
export { stopReleases } from './repository.stop.ts';
export { deploymentLogForgetting, freezeForgetting } from './retention.ts';
