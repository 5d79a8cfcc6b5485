// The agent that uses a language model. It plans with one structured answer, and carries out a step in turns with
// tools.
import { z } from 'zod';
import { AgentRefused, type Agent, type Plan, type WorkReport } from '../port.ts';
import { converse, defineEnding } from './conversation.ts';
import { limitsOf, type ModelLimits } from './limits.ts';
import type { ModelSettings } from './settings.ts';
import type { ModelClient } from './turn.ts';
import { describeOutline, planningInstructions, quotation, describeStep, workingInstructions } from './instructions.ts';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';

export interface ModelAgentOptions extends ModelSettings {
  /** The defaults are computed from the size of the model's context. */
  readonly limits?: Partial<ModelLimits>;
}

export function createModelAgent(options: ModelAgentOptions): Agent {
  const client = createModelClient(options);
  return {
    kind: 'model',
    async plan(outline, session) {
      const quoted = quotation();
      return await converse<Plan>(client, {
        instructions: planningInstructions(quoted),
        opening: describeOutline(outline),
        endings: [submitPlan(outline.title), giveUp],
        plainEnd: () => null,
        quote: quoted.quote,
        session,
      });
    },
    async work(request, session) {
      const quoted = quotation();
      return await converse<WorkReport>(client, {
        instructions: workingInstructions(quoted),
        opening: describeStep(request),
        endings: [finish, giveUp],
        plainEnd: (text) => reportOf({ summary: text, commit_message: request.step.title }),
        quote: quoted.quote,
        session,
      });
    },
  };
}

export function createModelClient({ limits, ...settings }: ModelAgentOptions): ModelClient {
  return { settings, limits: { ...limitsOf(settings), ...limits }, model: createLanguageModel(settings) };
}

const maxSteps = 20;
const title = z.string().trim().min(1).max(200);

const planSchema = z.object({
  title: title.describe('The title of the whole runbook, in the style of a pull request title.'),
  steps: z
    .array(
      z.object({
        title,
        parts: z
          .array(z.object({ title, instructions: z.string().trim().min(1).max(8000) }))
          .min(1)
          .max(maxSteps),
      }),
    )
    .min(1)
    .max(maxSteps),
});

function submitPlan(known: string | null) {
  return defineEnding(
    { name: 'submit_plan', description: 'Hands in the plan, and ends the planning.', schema: planSchema },
    (plan): Plan => ({
      title: known ?? plan.title,
      steps: plan.steps.map(({ title, parts }) => ({
        title,
        leaves: parts.map((part) => ({ title: part.title, instructions: { text: part.instructions } })),
      })),
    }),
  );
}

const reportSchema = z.object({
  summary: z.string().trim().min(1).describe('What was done, in a few sentences.'),
  commit_message: z
    .string()
    .trim()
    .min(1)
    .describe('The first line is in the imperative and has at most 72 characters. Details follow after an empty line.'),
});

const finish = defineEnding(
  { name: 'finish', description: 'Reports that the step is done, and ends the step.', schema: reportSchema },
  reportOf,
);

const giveUp = defineEnding(
  {
    name: 'give_up',
    description: 'Reports that the work cannot be done. No change is kept.',
    schema: z.object({ reason: z.string().trim().min(1).describe('Why, and what would help. People read it.') }),
  },
  ({ reason }): never => {
    throw new AgentRefused(bounded(reason));
  },
);

const maxSummaryCharacters = 2000;
const maxMessageCharacters = 4000;
const maxFirstLineCharacters = 72;

function reportOf({ summary, commit_message }: z.infer<typeof reportSchema>): WorkReport {
  return { summary: bounded(summary), commitMessage: commitMessageOf(commit_message) };
}

function bounded(text: string): string {
  return text.trim().replaceAll('\0', '\u{FFFD}').slice(0, maxSummaryCharacters);
}

/** A first line that is too long is shortened at a word, and the body of the message repeats it in full. */
function commitMessageOf(given: string): string {
  const message = given.trim().replaceAll('\0', '\u{FFFD}').slice(0, maxMessageCharacters);
  const [first = '', ...rest] = message.split('\n');
  if (first.length <= maxFirstLineCharacters) return message;
  const cut = first.slice(0, maxFirstLineCharacters);
  const short = cut.slice(0, Math.max(cut.lastIndexOf(' '), maxFirstLineCharacters / 2)).trimEnd();
  return [short, '', first, ...rest].join('\n').trim();
}

function createLanguageModel({ provider, model, apiKey, baseUrl }: ModelSettings): LanguageModel {
  // The library would write its warnings to the console. They are for developers, for example about an ignored setting.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const shared = { apiKey: apiKey ?? '', fetch: fetchWithoutRedirects };
  const address = baseUrl === null ? {} : { baseURL: baseUrl };
  switch (provider) {
    case 'anthropic':
      return createAnthropic({ ...shared, ...address })(model);
    case 'openai':
      return createOpenAI({ ...shared, ...address }).chat(model);
    case 'openai-compatible':
      return createOpenAICompatible({ ...shared, name: 'model', baseURL: baseUrl ?? '', includeUsage: true })(model);
    default:
      return provider satisfies never;
  }
}

// Redirects are not followed, because `fetch` would send the API key, which is in a header of its own, to another
// server.
const fetchWithoutRedirects: typeof fetch = async (input, init) => await fetch(input, { ...init, redirect: 'manual' });
