// The pkt-line format of git, and the head of a push with its commands and capabilities.
import { type RefChange, zeroId } from './store.ts';

export interface PushRequest {
  readonly changes: readonly RefChange[];
  readonly capabilities: readonly string[];
  readonly pack: Buffer;
}

export const flush = Buffer.from('0000');

export function packet(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

export function parsePush(body: Buffer): PushRequest {
  const changes: RefChange[] = [];
  let capabilities: string[] = [];
  let at = 0;
  for (;;) {
    const length = Number.parseInt(body.subarray(at, at + 4).toString('latin1'), 16);
    if (Number.isNaN(length)) throw new Error('The push does not begin with packet lines.');
    if (length === 0) break;
    const line = body
      .subarray(at + 4, at + length)
      .toString('utf8')
      .replace(/\n$/, '');
    const [command = '', listed] = line.split('\0');
    if (listed !== undefined) capabilities = listed.trim().split(' ');
    const [, from = '', to = '', ref = ''] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/.exec(command) ?? [];
    if (ref !== '') changes.push({ ref, from: from === zeroId ? null : from, to: to === zeroId ? null : to });
    at += length;
  }
  at += 4;
  // Push options come between the commands and the pack.
  if (capabilities.includes('push-options')) {
    const end = body.indexOf('0000', at);
    if (end >= 0 && body.subarray(at, at + 4).toString('latin1') !== 'PACK') at = end + 4;
  }
  return { changes, capabilities, pack: body.subarray(at) };
}

export function formatPush(changes: readonly RefChange[], capabilities: readonly string[], pack: Buffer): Buffer {
  const kept = capabilities.filter((each) => each !== 'push-options').join(' ');
  const lines = changes.map(({ ref, from, to }, index) =>
    packet(`${from ?? zeroId} ${to ?? zeroId} ${ref}${index === 0 ? `\0 ${kept}` : ''}`),
  );
  return Buffer.concat([...lines, flush, changes.some(({ to }) => to !== null) ? pack : Buffer.alloc(0)]);
}

/** Parses git's report of a push. `lines` has a line for each ref, and `progress` has what git shows to the user. */
export function parseReport(answer: Buffer, isSideBand: boolean): { lines: string[]; progress: Buffer } {
  if (!isSideBand) return { lines: packetsOf(answer).map(String), progress: Buffer.alloc(0) };
  const bands = packetsOf(answer);
  const of = (band: number): Buffer =>
    Buffer.concat(bands.filter((each) => each[0] === band).map((each) => each.subarray(1)));
  return { lines: packetsOf(of(1)).map(String), progress: of(2) };
}

export function formatReport(lines: readonly string[], progress: Buffer, isSideBand: boolean): Buffer {
  const report = Buffer.concat([...lines.map((line) => packet(`${line.trimEnd()}\n`)), flush]);
  if (!isSideBand) return report;
  return Buffer.concat([...banded(2, progress), ...banded(1, report), flush]);
}

const longestBand = 900;

function banded(band: number, bytes: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += longestBand)
    packets.push(packet(Buffer.concat([Buffer.from([band]), bytes.subarray(at, at + longestBand)])));
  return packets;
}

function packetsOf(bytes: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = Number.parseInt(bytes.subarray(at, at + 4).toString('latin1'), 16);
    if (length >= 4) packets.push(bytes.subarray(at + 4, at + length));
    at += Math.max(4, length);
  }
  return packets;
}
