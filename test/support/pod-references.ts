// Follows the names by which objects of Kubernetes refer to each other. The API of Kubernetes accepts a name of nothing:
// a policy that selects no pod, a port that no container has, an autoscaler of a Deployment that does not exist.
import type { KubernetesObject } from './kubernetes-objects.ts';

interface Named {
  readonly name: string;
}

interface Container {
  readonly name: string;
  readonly ports?: readonly Named[];
  readonly volumeMounts?: readonly Named[];
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly Container[]; readonly volumes: readonly Named[] };
}

interface Expression {
  readonly key: string;
  readonly operator: 'In';
  readonly values: readonly string[];
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Expression[];
}

/** How many references there are, and those that lead to nothing. */
export function referencesOf(objects: readonly KubernetesObject[]): {
  readonly checked: number;
  readonly missing: readonly string[];
} {
  const pods = objects.flatMap((object) => podsOf(object.spec));
  const found = objects.flatMap((object) =>
    [
      ...podsOf(object.spec).flatMap(mountsOf),
      ...selectorsOf(object).map(({ selector, ports }) => ({
        what: `pods with ${JSON.stringify(selector)} and ${ports.join() || 'no port'}`,
        isThere: isSelected(pods, selector, ports),
      })),
      ...scaledBy(object).map((name) => ({
        what: `the Deployment ${name}`,
        isThere: objects.some(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name),
      })),
    ].map(({ what, isThere }) => ({ isThere, text: `${object.kind} ${object.metadata.name}: ${what}` })),
  );
  return { checked: found.length, missing: found.filter(({ isThere }) => !isThere).map(({ text }) => text) };
}

function podsOf(spec: Readonly<Record<string, unknown>>): readonly PodTemplate[] {
  const { template, jobTemplate } = spec as {
    readonly template?: PodTemplate;
    readonly jobTemplate?: { readonly spec: Readonly<Record<string, unknown>> };
  };
  if (template !== undefined) return [template];
  return jobTemplate === undefined ? [] : podsOf(jobTemplate.spec);
}

interface Reference {
  readonly what: string;
  readonly isThere: boolean;
}

function mountsOf({ spec: { containers, volumes } }: PodTemplate): readonly Reference[] {
  return containers.flatMap(({ volumeMounts = [] }) =>
    volumeMounts.map(({ name }) => ({
      what: `the volume ${name}`,
      isThere: volumes.some((volume) => volume.name === name),
    })),
  );
}

/** The pods that an object selects, and the ports that they must have. */
function selectorsOf({ kind, spec }: KubernetesObject): readonly {
  readonly selector: Selector;
  readonly ports: readonly string[];
}[] {
  const { selector, podSelector, ports, ingress, podMetricsEndpoints } = spec as {
    readonly selector?: Selector & Readonly<Record<string, string>>;
    readonly podSelector?: Selector;
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly ingress?: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly podMetricsEndpoints?: readonly { readonly port: string }[];
  };
  if (kind === 'Service')
    return [{ selector: { matchLabels: { ...selector } }, ports: (ports ?? []).map(({ targetPort }) => targetPort) }];
  if (podSelector !== undefined)
    return [{ selector: podSelector, ports: (ingress ?? []).flatMap((rule) => rule.ports.map(({ port }) => port)) }];
  if (selector === undefined) return [];
  return [{ selector, ports: (podMetricsEndpoints ?? []).map(({ port }) => port) }];
}

/** Whether there are selected pods, and all of them have the ports. */
function isSelected(pods: readonly PodTemplate[], selector: Selector, ports: readonly string[]): boolean {
  const selected = pods.filter(({ metadata: { labels } }) => matches(labels, selector));
  const hasPorts = ({ spec }: PodTemplate): boolean =>
    ports.every((port) => spec.containers.some((container) => container.ports?.some(({ name }) => name === port)));
  return selected.length > 0 && selected.every(hasPorts);
}

function matches(
  labels: Readonly<Record<string, string>>,
  { matchLabels = {}, matchExpressions = [] }: Selector,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

function scaledBy({ spec }: KubernetesObject): readonly string[] {
  const { scaleTargetRef } = spec as { readonly scaleTargetRef?: Named };
  return scaleTargetRef === undefined ? [] : [scaleTargetRef.name];
}
