// The model agent, with the provider that the configuration names. Other modules use conversations with a model too.
export { createModelAgent, createModelClient, type ModelAgentOptions } from './agent.ts';
export { converse, ending } from './conversation.ts';
export { ModelSettingsRefused, readModelSettings, type ModelSettings } from './settings.ts';
export { quotation } from './instructions.ts';
