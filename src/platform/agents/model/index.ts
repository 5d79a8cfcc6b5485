// The model agent: any provider by configuration. Conversations with a model are for others too.
export { createModelAgent, createModelClient, type ModelAgentOptions } from './agent.ts';
export { converse, ending } from './conversation.ts';
export { ModelSettingsRefused, readModelSettings, type ModelSettings } from './settings.ts';
export { quotation } from './instructions.ts';
