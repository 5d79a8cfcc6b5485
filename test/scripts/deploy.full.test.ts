// Checks the chart, the Dockerfile and compose.yaml with the tools of those who run them: Helm, the schemas of
// Kubernetes, hadolint and the parser of Compose. No container and no cluster runs.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../src/platform/project-root.ts';
import { judgeBy, readObjects, type KubernetesObject } from '../support/kubernetes-objects.ts';
import { findPackagingTools, kubernetesVersions, type PackagingTools } from '../support/packaging-tools.ts';
import { referencesOf } from '../support/pod-references.ts';

const chart = join(projectRoot, 'deploy', 'chart');
const [oldest] = kubernetesVersions;
let tools: PackagingTools;
let folder = '';
beforeAll(async () => {
  tools = await findPackagingTools();
  folder = await mkdtemp(join(tmpdir(), 'packaging-'));
}, 3_000_000);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  /** Standard output and error output. */
  readonly said: string;
}

async function run(program: string, ...args: readonly string[]): Promise<Ran> {
  return await promisify(execFile)(program, [...args], { maxBuffer: 1 << 24 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, said: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      ...{ code, stdout },
      said: stdout + stderr,
    }),
  );
}

type Values = Readonly<Record<string, unknown>>;

/** `version`: of the Kubernetes for which Helm renders. */
async function helm(command: 'lint' | 'template', values: Values, version: string): Promise<Ran> {
  const file = join(folder, 'values.json');
  await writeFile(file, JSON.stringify(values));
  const args = command === 'template' ? ['queue', chart, '--namespace', 'merging'] : ['--strict', chart];
  return await run(tools.helm, command, ...args, '--kube-version', version, '--values', file);
}

async function render(values: Values, version: string): Promise<readonly KubernetesObject[]> {
  const { code, stdout, said } = await helm('template', values, version);
  expect(code, said).toBe(0);
  return readObjects(stdout);
}

const always = [
  'Deployment queue-server',
  'Deployment queue-worker',
  'Job queue-migration',
  'PodDisruptionBudget queue-server',
  'PodDisruptionBudget queue-worker',
  'Service queue',
];
const policies = ['NetworkPolicy queue-migration', 'NetworkPolicy queue-server', 'NetworkPolicy queue-worker'];
const everySecret = {
  metricsToken: 'metrics-token',
  temporalApiKey: 'temporal-api-key',
  oidcClientSecret: 'oidc',
  slackBotToken: 'slack',
  runbookModelApiKey: 'model',
};

const installations: readonly (readonly [string, Values, readonly string[]])[] = [
  ['the defaults', {}, [...always, ...policies]],
  [
    'data in a shared volume',
    { data: { mode: 'shared' } },
    [...always, ...policies, 'PersistentVolumeClaim queue-data'],
  ],
  [
    'data in a shared volume that exists',
    { data: { mode: 'shared', shared: { existingClaim: 'repositories' } } },
    [...always, ...policies],
  ],
  [
    'a shared volume of a storage class, without network policies',
    { data: { mode: 'shared', shared: { storageClass: 'cephfs', size: '1.5Ti' } }, networkPolicy: { enabled: false } },
    [...always, 'PersistentVolumeClaim queue-data'],
  ],
  ['workers that run commands', { worker: { runsCommands: true, checks: 8 } }, [...always, ...policies]],
  [
    'servers and workers that are scaled',
    {
      server: { autoscaling: { enabled: true } },
      worker: { autoscaling: { enabled: true, extraTriggers: [{ type: 'cron', metadata: { timezone: 'UTC' } }] } },
    },
    [...always, ...policies, 'HorizontalPodAutoscaler queue-server', 'ScaledObject queue-worker'],
  ],
  [
    'workers that are scaled, and an API key for Temporal',
    {
      secret: { name: 'own', keys: { temporalApiKey: 'temporal-api-key' } },
      worker: { autoscaling: { enabled: true } },
    },
    [...always, ...policies, 'ScaledObject queue-worker', 'TriggerAuthentication queue-worker'],
  ],
  [
    'backups',
    { backup: { enabled: true, claim: 'backups' } },
    [...always, ...policies, 'CronJob queue-backup', 'NetworkPolicy queue-backup'],
  ],
  [
    'metrics and alerts for the Prometheus operator',
    {
      secret: { keys: { metricsToken: 'metrics-token' } },
      monitoring: {
        podMonitor: { enabled: true, labels: { release: 'prometheus' } },
        prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
      },
    },
    [...always, ...policies, 'PodMonitor queue', 'PrometheusRule queue'],
  ],
  [
    'an ingress, every secret, TLS to Temporal, and places for pods',
    {
      imagePullSecrets: [{ name: 'registry' }],
      secret: { name: 'own', keys: everySecret },
      temporal: { tlsSecret: 'temporal-tls', uiUrl: 'https://temporal.example.com' },
      settings: { LOG_LEVEL: 'debug', RUN_MEMORY_MB: 2048, TEMPORAL_TLS: true },
      server: {
        service: { type: 'LoadBalancer', annotations: { zone: 'a' } },
        ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { size: '1g' } },
      },
      networkPolicy: { serverFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'merging', operator: 'Exists' }],
    },
    [...always, ...policies, 'Ingress queue'],
  ],
];

describe.each(installations)('the chart with %s', (_, values, expected) => {
  test('passes the linter of Helm', async () => {
    const { code, said } = await helm('lint', values, oldest);
    expect(code, said).toBe(0);
  });

  test.each(kubernetesVersions)('makes objects that fit the schemas of Kubernetes %s', async (version) => {
    const objects = await render(values, version);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual(expected.toSorted());
    const judge = judgeBy(tools, version);
    const problems = await Promise.all(
      objects.map(async (object) => (await judge(object)).map((problem) => `${object.kind}: ${problem}`)),
    );
    expect(problems.flat()).toEqual([]);
  });

  test('makes objects that select pods, ports, volumes and scaled objects that exist', async () => {
    const { checked, missing } = referencesOf(await render(values, oldest));
    expect(checked).toBeGreaterThan(12);
    expect(missing).toEqual([]);
  });
});

test.each<[string, Values, object, readonly object[]]>([
  ['nothing', {}, { authentication: undefined, reference: undefined }, []],
  [
    'the API key',
    { secret: { name: 'own', keys: { temporalApiKey: 'api-key' } } },
    { authentication: [{ parameter: 'apiKey', name: 'own', key: 'api-key' }], reference: { name: 'queue-worker' } },
    [],
  ],
  [
    'the client certificate',
    { temporal: { tlsSecret: 'tls' }, settings: { TEMPORAL_TLS_SERVER_NAME: 'temporal.example.com' } },
    {
      authentication: [
        { parameter: 'ca', name: 'tls', key: 'ca.crt' },
        { parameter: 'cert', name: 'tls', key: 'tls.crt' },
        { parameter: 'key', name: 'tls', key: 'tls.key' },
      ],
      reference: { name: 'queue-worker' },
    },
    [{ tlsServerName: 'temporal.example.com' }],
  ],
])('KEDA reaches Temporal with %s', async (_, values, expected, metadata) => {
  const objects = await render({ ...values, worker: { autoscaling: { enabled: true } } }, oldest);
  const { secretTargetRef: authentication } = specOf(objects, 'TriggerAuthentication');
  const [trigger] = triggersOf(objects);
  expect({ authentication, reference: trigger?.authenticationRef }).toEqual(expected);
  for (const each of metadata) expect(trigger?.metadata).toMatchObject(each);
});

test.each<[string, Values]>([
  ['an API key with a client certificate', { secret: { keys: everySecret }, temporal: { tlsSecret: 'tls' } }],
  ['TLS without a client certificate', { settings: { TEMPORAL_TLS: true } }],
])('a trigger of KEDA that cannot work is left out: %s', async (_, values) => {
  const objects = await render({ ...values, worker: { autoscaling: { enabled: true } } }, oldest);
  expect(triggersOf(objects).map(({ type }) => type)).toEqual(['cpu']);
  expect(specOf(objects, 'TriggerAuthentication')).toEqual({});
});

interface Trigger {
  readonly type: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly authenticationRef?: { readonly name: string };
}

function specOf(objects: readonly KubernetesObject[], kind: string): Readonly<Record<string, unknown>> {
  return objects.find((object) => object.kind === kind)?.spec ?? {};
}

function triggersOf(objects: readonly KubernetesObject[]): readonly Trigger[] {
  return specOf(objects, 'ScaledObject')['triggers'] as readonly Trigger[];
}

test('the PrometheusRule has the alerts of deploy/monitoring', async () => {
  const objects = await render({ monitoring: { prometheusRule: { enabled: true } } }, oldest);
  const rule = objects.find(({ kind }) => kind === 'PrometheusRule');
  expect(rule?.spec).toEqual(
    parse(await readFile(join(projectRoot, 'deploy', 'monitoring', 'alerts.yml'), 'utf8')) as object,
  );
});

test.each<[string, Values, string]>([
  ['a value that does not exist', { replicas: 3 }, 'replicas'],
  ['a secret among the settings', { settings: { INTERLOCK_SECRET: 'x' } }, 'INTERLOCK_SECRET'],
  ['backups without a volume', { backup: { enabled: true } }, 'backup.claim must name a PersistentVolumeClaim'],
  ['a PodMonitor without a token', { monitoring: { podMonitor: { enabled: true } } }, 'set secret.keys.metricsToken'],
])('Helm refuses %s', async (_, values, message) => {
  const { code, said } = await helm('template', values, oldest);
  expect([code, said]).toEqual([1, expect.stringContaining(message)]);
});

test('Helm refuses a Kubernetes that is too old', async () => {
  expect(await helm('template', {}, '1.29.0')).toMatchObject({
    code: 1,
    said: expect.stringContaining('>=1.30.0'),
  });
});

test('the schemas refuse an unknown field, a wrong type and a missing field', async () => {
  const judge = judgeBy(tools, oldest);
  const objects = await render({ worker: { autoscaling: { enabled: true } }, data: { mode: 'shared' } }, oldest);
  const change = async (kind: string, spec: object): Promise<readonly string[]> => {
    const object = objects.find((each) => each.kind === kind);
    return object === undefined ? [] : await judge({ ...object, spec: { ...object.spec, ...spec } });
  };
  expect(await change('Deployment', {})).toEqual([]);
  expect(await change('Deployment', { replica: 2 })).toEqual([expect.stringContaining('replica')]);
  expect(await change('Deployment', { replicas: 'two' })).toEqual([expect.stringContaining('integer')]);
  expect(await change('ScaledObject', { triggers: undefined })).toEqual([expect.stringContaining('triggers')]);
});

test('references to objects that do not exist are found', async () => {
  const objects = await render({ server: { autoscaling: { enabled: true } } }, oldest);
  const withoutServer = objects.filter(
    ({ kind, metadata }) => `${kind} ${metadata.name}` !== 'Deployment queue-server',
  );
  expect(
    referencesOf(withoutServer)
      .missing.map((text) => text.split(':')[0])
      .toSorted(),
  ).toEqual([
    'HorizontalPodAutoscaler queue-server',
    'NetworkPolicy queue-server',
    'PodDisruptionBudget queue-server',
    'Service queue',
  ]);
});

test('hadolint finds nothing in the Dockerfile, and a mistake in a copy of it', async () => {
  const strictly = ['--no-color', '--failure-threshold', 'style'];
  const dockerfile = join(projectRoot, 'Dockerfile');
  expect(await run(tools.hadolint, ...strictly, dockerfile)).toMatchObject({ code: 0, said: '' });
  const copy = join(folder, 'Dockerfile');
  await writeFile(copy, `${await readFile(dockerfile, 'utf8')}\nRUN cd /tmp && sudo true\n`);
  expect(await run(tools.hadolint, ...strictly, copy)).toMatchObject({
    code: 1,
    said: expect.stringContaining('DL3004'),
  });
});

test('the parser of Compose accepts compose.yaml, and refuses a copy with an unknown field', async () => {
  const file = join(projectRoot, 'compose.yaml');
  const { code, said } = await run(tools.composeSpec, file);
  expect(code, said).toBe(0);
  const copy = join(folder, 'compose.yaml');
  await writeFile(copy, (await readFile(file, 'utf8')).replace('restart: unless-stopped', 'restrat: unless-stopped'));
  expect(await run(tools.composeSpec, copy)).toMatchObject({ code: 1, said: expect.stringContaining('restrat') });
});
