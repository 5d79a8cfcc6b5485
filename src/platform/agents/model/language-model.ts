// The one place that knows the providers' own clients.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { ModelSettings } from './settings.ts';

export function createLanguageModel({ provider, model, apiKey, baseUrl }: ModelSettings): LanguageModel {
  // The library's warnings, such as a setting that a model ignores, are for its developers, and go to the console.
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

// A redirect would take the key, which is in a header of no standard name, to another server.
const fetchWithoutRedirects: typeof fetch = async (input, init) => await fetch(input, { ...init, redirect: 'manual' });
