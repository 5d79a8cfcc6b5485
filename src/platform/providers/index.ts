// The providers, which carry out deployments and builds.
import { createCommandProvider, type CommandOptions } from './command.ts';
import { createGithubActionsProvider } from './github-actions.ts';
import { createHttpProvider, type HttpOptions } from './http.ts';
import type { Provider, Providers } from './port.ts';

export * from './port.ts';

export function createProviders(options: CommandOptions & HttpOptions): Providers {
  const providers: Readonly<Record<Parameters<Providers>[0], Provider>> = {
    command: createCommandProvider(options),
    http: createHttpProvider(options),
    github_actions: createGithubActionsProvider(options),
  };
  return (kind) => providers[kind];
}
