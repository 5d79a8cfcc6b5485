// The head of a push request: the refs with their old and new ids. The pack follows the head; only git reads the pack.
import { isUtf8 } from 'node:buffer';
import { flushPacket, packet, ProtocolError, readPacket } from './pkt-line.ts';

export interface PushCommand {
  readonly from: string;
  readonly to: string;
  readonly ref: string;
}

export interface PushRequest {
  readonly commands: readonly PushCommand[];
  readonly capabilities: readonly string[];
  /** The `shallow` lines of a client with a shallow clone. They are passed on to git. */
  readonly shallow: readonly Buffer[];
  /** Where the pack begins in the body. */
  readonly packAt: number;
}

const maxCommands = 5000;
/** With these limits, a line with a ref and the capabilities always fits into one packet. */
const longestRefBytes = 4096;
const longestCapabilitiesBytes = 16 * 1024;

/** Null: the head is not complete yet. Throws ProtocolError if the head is not valid. */
export function parsePushRequest(body: Buffer): PushRequest | null {
  const commands: PushCommand[] = [];
  const shallow: Buffer[] = [];
  const refs = new Set<string>();
  let capabilities: string[] = [];
  for (let at = 0; ; ) {
    const next = readPacket(body, at);
    if (next === null) return null;
    at = next.end;
    if (next.kind === 'flush') return { commands, capabilities, shallow, packAt: at };
    // Bytes that are not UTF-8 would change when they are decoded and encoded again, and so name another ref.
    if (!isUtf8(next.payload)) throw new ProtocolError('The names of refs in a push must be UTF-8');
    const [line = '', capabilityList] = next.payload.toString('utf8').replace(/\n$/, '').split('\0');
    if (/^shallow [0-9a-f]{40}$/.test(line)) {
      shallow.push(next.payload);
      continue;
    }
    const [, from, to, ref] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/.exec(line) ?? [];
    if (from === undefined || to === undefined || ref === undefined)
      throw new ProtocolError('A push names for each ref an old id, a new id and its name');
    if (Buffer.byteLength(ref) > longestRefBytes)
      throw new ProtocolError(`The name of a ref in a push has at most ${longestRefBytes} bytes`);
    if (Buffer.byteLength(capabilityList ?? '') > longestCapabilitiesBytes)
      throw new ProtocolError(`The capabilities of a push have at most ${longestCapabilitiesBytes} bytes`);
    if (refs.has(ref)) throw new ProtocolError('A push names each ref once');
    refs.add(ref);
    if (capabilityList !== undefined)
      capabilities = capabilityList.split(' ').filter((capability) => capability !== '');
    commands.push({ from, to, ref });
    if (commands.length > maxCommands) throw new ProtocolError(`A push may name at most ${maxCommands} refs`);
  }
}

/** The head of a request with only some of its commands. */
export function formatPushRequest(request: PushRequest, commands: readonly PushCommand[]): Buffer {
  const lines = commands.map(({ from, to, ref }, index) =>
    packet(`${from} ${to} ${ref}${index === 0 ? `\0 ${request.capabilities.join(' ')}` : ''}`),
  );
  return Buffer.concat([...request.shallow.map(packet), ...lines, flushPacket]);
}
