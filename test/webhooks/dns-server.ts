// A small DNS server over UDP, which answers from a table and counts its questions.
import { createSocket } from 'node:dgram';
import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED } from 'dns-packet';
import type { Name } from './dns.table.ts';

export interface DnsServer {
  /** How often the addresses of a name were asked for, by type. */
  questions(name: string): Readonly<Record<string, number>>;
  close(): void;
}

export async function startDnsServer(names: readonly Name[], port: number, address: string): Promise<DnsServer> {
  const asked = new Map<string, Record<string, number>>();
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const { id, questions } = decode(message);
    const [question] = questions ?? [];
    if (question === undefined) return;
    const ofName = asked.get(question.name) ?? {};
    asked.set(question.name, ofName);
    const before = ofName[question.type] ?? 0;
    ofName[question.type] = before + 1;
    const known = names.find(({ name }) => name === question.name);
    const answers = known?.answers[Math.min(before, known.answers.length - 1)] ?? [];
    const packet = encode({
      type: 'response',
      ...(id === undefined ? {} : { id }),
      // 3: there is no such name.
      flags: AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | RECURSION_DESIRED | (known === undefined ? 3 : 0),
      questions: [question],
      // An answer has aliases, and the addresses of the wanted type.
      answers: answers.filter(({ type }) => type === 'CNAME' || type === question.type),
    });
    socket.send(packet, from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, address, resolve);
  });
  return { questions: (name) => asked.get(name) ?? {}, close: () => void socket.close() };
}
