// Says which scope the facts of an event need besides `queue:read`: the scope of what the event is about (interface 5).

/** The scopes that the facts of an event may need. */
export type FactsScope = 'queue:read' | 'config:read' | 'release:read' | 'runbook:write' | 'admin';

export interface EventSubject {
  readonly action: string;
  readonly candidateId: string | null;
  readonly environmentId: string | null;
  readonly deploymentId: string | null;
  readonly runbookId: string | null;
}

const scopesOfActions: readonly (readonly [action: RegExp, scope: FactsScope])[] = [
  [/^(?:config_change|configuration_refused|runbook_defaults_changed)$/, 'config:read'],
  [/^(?:user|team|skip_line|skip_validation)_/, 'config:read'],
  [/^(?:token|webhook|preview_image|preview_secret)_/, 'admin'],
  [/^release_project_/, 'release:read'],
];

export function scopeOfFacts(event: EventSubject): FactsScope {
  const { action, candidateId, environmentId, deploymentId, runbookId } = event;
  const byAction = scopesOfActions.find(([pattern]) => pattern.test(action))?.[1];
  if (byAction !== undefined) return byAction;
  if (runbookId !== null) return 'runbook:write';
  return candidateId === null && environmentId === null && deploymentId === null ? 'queue:read' : 'release:read';
}
