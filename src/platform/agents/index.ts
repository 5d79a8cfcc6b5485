export { createModelAgent } from './model-agent.ts';
export { ModelSettingsRefused, readModelSettings, type ModelSettings } from './model/settings.ts';
export { createScriptAgent } from './script/index.ts';
export { createTools, type Tools, type Workspace } from './tools/index.ts';
