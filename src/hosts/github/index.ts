export { createGitHubHost, type GitHubHostOptions } from './github-host.ts';
export { type MirrorSettings, MirrorSettingRefused, readMirrorSettings } from './mirror-settings.ts';
export type { FindInstallation, GitHubApp, GitHubInstallation } from './app.ts';
export type { PushPace } from './push-lane.ts';
