// The provider that starts a workflow of the repository at its code host. On GitHub it is a workflow of GitHub Actions,
// on the local host one of `.service/ci.yml`.
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';
import { HostRefused, hostClient, type HostClient, type Hosts } from '../../hosts/port.ts';
import { ProviderRefused, settingsOf, type ProviderReading, type ProviderRun, type RemoteProvider } from './port.ts';

/**
 * The inputs of a workflow. The workflow must declare them, because hosts refuse undeclared inputs. The workflow can
 * query all other facts of the deployment by `deployment_id`.
 */
const workflowInputs = ['deployment_id', 'environment', 'release_candidate_version'] as const;

export function createGithubActionsProvider({ hosts }: { readonly hosts: Hosts }): RemoteProvider {
  const client = ({ repository }: ProviderRun): HostClient => hostClient({ hosts }, repository);
  return {
    shape: 'remote',
    async trigger(run) {
      const { workflow } = settingsOf(run, 'github_actions');
      const { commit, key, facts } = run;
      const inputs = Object.fromEntries(
        workflowInputs.flatMap((name) => {
          const value = facts[name];
          return value === undefined ? [] : [[name, value] as const];
        }),
      );
      try {
        return await client(run).dispatchWorkflow({ workflow, commit, key, branch: null, inputs });
      } catch (error) {
        throw error instanceof HostRefused ? new ProviderRefused(error.message, { cause: error }) : error;
      }
    },
    async read(run, name) {
      if (name === null) return null;
      const found = await client(run).readWorkflowRun(name);
      if (found === null) return { state: 'gone', message: 'The code host no longer has the workflow run', url: null };
      return { state: states[found.conclusion] ?? 'failure', message: found.summary, url: found.url };
    },
    async cancel(run, name) {
      if (name === null)
        throw new ProviderRefused('The code host never reported the name of the run, so the run cannot be canceled.');
      await client(run).cancelWorkflowRun(name);
      return 'asked';
    },
  };
}

/** A conclusion that is not listed here is a failure. */
const states: Readonly<Partial<Record<CheckConclusion, ProviderReading['state']>>> = {
  pending: 'running',
  success: 'success',
  neutral: 'success',
  skipped: 'canceled',
  cancelled: 'canceled',
  error: 'error',
  unknown: 'unknown',
};
