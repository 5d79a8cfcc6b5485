// Node ids of GraphQL, and tokens in GitHub's forms.
import { createHash } from 'node:crypto';
import type { RandomSource } from '../faults/random.ts';

/** The prefix of a node id shows the kind of the node. */
const prefixes = {
  accounts: 'U',
  organizations: 'O',
  bots: 'BOT',
  teams: 'T',
  repositories: 'R',
  pullRequests: 'PR',
  labels: 'LA',
  timeline: 'TI',
  comments: 'IC',
  reviews: 'PRR',
  reviewThreads: 'PRRT',
  reviewComments: 'PRRC',
  checkSuites: 'CS',
  checkRuns: 'CR',
  statuses: 'SC',
  workflows: 'W',
  workflowRuns: 'WFR',
  apps: 'A',
  protections: 'BPR',
  rulesets: 'RRS',
  // Commits and refs are not rows. Their node ids contain the id of the repository and the name of the commit or ref.
  commits: 'C',
  refs: 'REF',
} as const;

export type NodeKind = keyof typeof prefixes;

export function nodeIdOf(kind: NodeKind, id: number, name = ''): string {
  const head = Buffer.from([name === '' ? 0x92 : 0x93, 0x00, 0xce, 0, 0, 0, 0]);
  head.writeUInt32BE(id, 3);
  const tail = name === '' ? [] : [Buffer.from([0xd9, Buffer.byteLength(name)]), Buffer.from(name)];
  return `${prefixes[kind]}_${Buffer.concat([head, ...tail]).toString('base64url')}`;
}

/** Parses a node id. The name is empty except for commits and refs. Null: the text is not a node id. */
export function parseNodeId(nodeId: string): { kind: NodeKind; id: number; name: string } | null {
  const [prefix, rest = ''] = nodeId.split(/_(.*)/s);
  const kind = (Object.keys(prefixes) as NodeKind[]).find((each) => prefixes[each] === prefix);
  const bytes = Buffer.from(rest, 'base64url');
  if (kind === undefined || bytes.length < 7) return null;
  return { kind, id: bytes.readUInt32BE(3), name: bytes.subarray(9).toString('utf8') };
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function randomWord(random: RandomSource, length: number): string {
  return Array.from({ length }, () => letters[random.below(letters.length)]).join('');
}

export const tokenPrefixes = { personal: 'ghp', oauth: 'gho', 'user-to-server': 'ghu', installation: 'ghs' } as const;

/**
 * Makes a token. A token of an installation has about 520 characters and contains the App's id. Every other token has
 * 40 characters.
 */
export function makeToken(random: RandomSource, kind: keyof typeof tokenPrefixes, appId: number | null): string {
  if (kind !== 'installation') return `${tokenPrefixes[kind]}_${randomWord(random, 36)}`;
  const parts = [randomWord(random, 36), randomWord(random, 130), randomWord(random, 340)];
  return `${tokenPrefixes.installation}_${appId}_${parts.join('.')}`;
}

export function uuidFrom(random: RandomSource): string {
  const hex = createHash('sha1').update(randomWord(random, 24)).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
