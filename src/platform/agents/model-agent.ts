// The agent that uses a language model. The libraries of the providers are loaded when the agent is first asked, because
// loading them takes 0.2 s of CPU and 25 MB, and most processes never ask a model.
import type { Agent } from './port.ts';
import type { ModelSettings } from './model/settings.ts';

export function createModelAgent(settings: ModelSettings): Agent {
  let loading: Promise<Agent> | undefined;
  const load = async (): Promise<Agent> => (await import('./model/index.ts')).createModelAgent(settings);
  const agent = async (): Promise<Agent> => await (loading ??= load());
  return {
    kind: 'model',
    plan: async (outline, session) => await (await agent()).plan(outline, session),
    work: async (request, session) => await (await agent()).work(request, session),
  };
}
