export { createModelAgent, ModelSettingsRefused, readModelSettings, type ModelSettings } from './model/index.ts';
export { createScriptAgent } from './script/index.ts';
export { createTools, type Tools, type Workspace } from './tools/index.ts';
