// The model agent. Other modules use its conversations with a model too.
export { createModelAgent, createModelClient, type ModelAgentOptions } from './agent.ts';
export { converse, defineEnding } from './conversation.ts';
export { ModelSettingsRefused, readModelSettings, type ModelSettings } from './settings.ts';
export { quotation } from './instructions.ts';
