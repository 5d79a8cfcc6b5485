// Compares objects that the chart renders with the schemas of their kinds: those of Kubernetes, which refuse unknown
// fields, and the models of KEDA and of the Prometheus operator, which do not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseAllDocuments } from 'yaml';
import type { PackagingTools } from './packaging-tools.ts';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Reads what `helm template` printed. A name that stands twice in a mapping is an error. */
export function readObjects(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
}

const operators = { 'keda.sh': 'keda', 'monitoring.coreos.com': 'prometheus-operator' } as const;

/** The problems of an object under the schemas of a version of Kubernetes. Empty: it has none. */
export type Judge = (object: KubernetesObject) => Promise<readonly string[]>;

export function judgeBy(tools: PackagingTools, version: string): Judge {
  const folder = join(tools.kubernetesSchemas, `v${version}-local-strict`);
  const read = (name: string): object => JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ ...read('_definitions.json'), $id: 'http://kubernetes/api/_definitions.json' });
  const compiled = new Map<string, ValidateFunction>();

  function judgeBuiltIn({ apiVersion, kind, ...rest }: KubernetesObject): readonly string[] {
    const [group, version = group] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const parts = [kind.toLowerCase(), group?.split('.')[0], version].filter((part) => part !== '');
    const name = `${parts.join('-')}.json`;
    const validate = compiled.get(name) ?? ajv.compile({ ...read(name), $id: `http://kubernetes/${name}` });
    compiled.set(name, validate);
    validate({ apiVersion, kind, ...rest });
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    );
  }

  return async (object) => {
    const [group = '', version = ''] = object.apiVersion.split('/');
    if (!Object.hasOwn(operators, group)) return judgeBuiltIn(object);
    const folderOfModels = join(tools.models, '@kubernetes-models', operators[group as keyof typeof operators]);
    const file = join(folderOfModels, group, version, `${object.kind}.js`);
    const models = (await import(pathToFileURL(file).href)) as Readonly<
      Record<string, new (data: unknown) => { validate(): void }>
    >;
    const Model = models[object.kind];
    if (Model === undefined) throw new Error(`${file} has no ${object.kind}.`);
    try {
      new Model(object).validate();
      return [];
    } catch (error) {
      return [String(error)];
    }
  };
}
