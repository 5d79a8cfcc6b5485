// A runbook of one leaf, and agents of every provider, for the tests of the model agent.
import { createModelAgent } from '../../src/platform/agents/model/index.ts';
import type { PlanRequest, WorkRequest } from '../../src/platform/agents/port.ts';
import { modelServer, type ModelReply, type ModelRequest, type ModelServer } from '../support/model-server.ts';

export const outline: PlanRequest = {
  title: null,
  repository: 'acme/shop',
  prompts: ['Say good morning instead of hello.'],
  steps: [],
};

export const leaf: WorkRequest = {
  ...outline,
  title: 'Greet',
  step: { number: '1.1', title: 'Change the greeting', instructions: { text: 'Edit greeting.txt.' } },
};

export const plan = {
  title: 'Greet in the morning',
  steps: [
    { title: 'Change the greeting', parts: [{ title: 'Edit the file', instructions: 'Edit greeting.txt.' }] },
    {
      title: 'Tell people',
      parts: [
        { title: 'Changelog', instructions: 'Add a line to CHANGELOG.md.' },
        { title: 'Readme', instructions: 'Correct README.md.' },
      ],
    },
  ],
};

export const finish = { name: 'finish', args: { summary: 'It greets.', commit_message: 'Greet in the morning' } };

export const protocols = [
  { protocol: 'openai', provider: 'openai' },
  { protocol: 'openai', provider: 'openai-compatible' },
  { protocol: 'anthropic', provider: 'anthropic' },
] as const;

export type Provider = (typeof protocols)[number]['provider'];

export function agentOf(
  server: ModelServer,
  provider: Provider,
  limits: Parameters<typeof createModelAgent>[0]['limits'] = {},
) {
  return createModelAgent({
    provider,
    model: 'some-model',
    apiKey: server.apiKey,
    baseUrl: server.baseUrl,
    prices: { input: 3, cachedInput: 0.3, output: 15 },
    contextTokens: 128_000,
    limits: { pauseMs: 1, ...limits },
  });
}

/** Starts a server that answers the turns of a model with these replies, one after another. */
export async function serverOf(...replies: readonly ModelReply[]): Promise<ModelServer> {
  return await modelServer((_, nth) => replies[nth - 1] ?? { status: 500, message: 'Nothing more was expected.' });
}

/** The answers of tools in a request to the model. */
export function answersIn(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ text }) => text);
}
