// The controls that change rows, for example by a rename, a suspension or the expiry of all tokens.
import type { HostEvent } from '../webhooks/events.ts';
import type { State } from '../model/state.ts';
import type { Account, Repository } from '../model/types.ts';
import type { ControlEffects } from './controls.ts';

interface Around {
  readonly state: State;
  readonly clock: () => number;
  readonly now: () => string;
  readonly emit: (event: HostEvent) => void;
  readonly settled: () => Promise<void>;
}

export function createEffects({ state, now, emit, settled }: Around): ControlEffects {
  return {
    expireTokens: () => {
      for (const token of state.tokens.filter(({ kind }) => kind === 'installation')) token.expiresAt = now();
      state.save();
    },
    rename: (fullName, newName) => {
      const { owner, repository } = find(state, fullName);
      emit(renameRepository({ state, now }, { repository, owner, sender: owner, newName }));
    },
    suspend: (installationId, isSuspended) => {
      const installation = state.installations.must(installationId);
      const sender = state.accounts.must(installation.accountId);
      installation.suspendedAt = isSuspended ? now() : null;
      installation.suspendedById = isSuspended ? sender.id : null;
      emit({ name: 'installation', action: isSuspended ? 'suspend' : 'unsuspend', installation, sender });
      state.save();
    },
    permit: (installationId, permissions) => {
      const installation = state.installations.must(installationId);
      Object.assign(installation, { permissions, updatedAt: now() });
      const sender = state.accounts.must(installation.accountId);
      emit({ name: 'installation', action: 'new_permissions_accepted', installation, sender });
      state.save();
    },
    transfer: (fullName, newOwner) => {
      const { owner, repository } = find(state, fullName);
      const next = state.accounts.find((each) => each.login === newOwner);
      if (next === undefined) throw new Error(`There is no account ${newOwner}.`);
      for (const installation of state.installations.filter((each) => each.accountId === owner.id)) {
        installation.repositoryIds = installation.repositoryIds.filter((id) => id !== repository.id);
        emit({
          name: 'installation_repositories',
          action: 'removed',
          installation,
          changed: [repository],
          sender: owner,
        });
      }
      state.formerNames.insert({ owner: owner.login, name: repository.name, repositoryId: repository.id });
      Object.assign(repository, { ownerId: next.id, updatedAt: now() });
      emit({ name: 'repository', action: 'transferred', repository, sender: owner, formerOwner: owner });
      state.save();
    },
    disableWorkflow: (fullName, file, isDisabled) => {
      const { repository } = find(state, fullName);
      const workflow = state.workflows.find(
        (each) => each.repositoryId === repository.id && each.path === `.github/workflows/${file}`,
      );
      if (workflow === undefined) throw new Error(`GitHub has not seen the workflow ${file} of ${fullName} yet.`);
      Object.assign(workflow, { state: isDisabled ? 'disabled_manually' : 'active', updatedAt: now() });
      state.save();
    },
    deleteWorkflowRun: (fullName, runId) => {
      const { repository } = find(state, fullName);
      const run = state.workflowRuns.must(runId);
      if (run.repositoryId !== repository.id) throw new Error(`${fullName} has no run ${runId}.`);
      for (const { id } of state.checkRuns.filter((each) => each.checkSuiteId === run.checkSuiteId))
        state.checkRuns.remove(id);
      for (const { id } of state.workflowJobs.filter((each) => each.runId === runId)) state.workflowJobs.remove(id);
      state.checkSuites.remove(run.checkSuiteId);
      state.workflowRuns.remove(runId);
      state.save();
    },
    settled,
  };
}

function find(state: State, fullName: string): { owner: Account; repository: Repository } {
  const [login = '', name = ''] = fullName.split('/');
  const owner = state.accounts.find((each) => each.login === login);
  const repository = state.repositories.find((each) => each.ownerId === owner?.id && each.name === name);
  if (owner === undefined || repository === undefined) throw new Error(`There is no repository ${fullName}.`);
  return { owner, repository };
}

/** Renames a repository, stores the redirect from its old name, and returns the event for the caller to emit. */
export function renameRepository(
  { state, now }: Pick<Around, 'state' | 'now'>,
  given: {
    readonly repository: Repository;
    readonly owner: Account;
    readonly sender: Account;
    readonly newName: string;
  },
): HostEvent {
  const { repository, owner, sender, newName } = given;
  const from = repository.name;
  state.formerNames.insert({ owner: owner.login, name: from, repositoryId: repository.id });
  repository.name = newName;
  repository.updatedAt = now();
  state.save();
  return { name: 'repository', action: 'renamed', repository, sender, changes: { repository: { name: { from } } } };
}
