// Names whose addresses lead into the network of the service. A DNS server of the test answers with these records.
import type { Answer } from 'dns-packet';

/** An address that nobody may reach through Interlock. The test gives it to a host of its own. */
export const privateAddress = '10.1.2.3';
/**
 * A public address, which the guard allows. The test gives it to a host in its own network namespace, so that nothing
 * leaves the machine.
 */
export const publicAddress = '93.184.215.14';

export interface Name {
  /** What makes the name an attack. The test's title contains it. */
  readonly what: string;
  readonly name: string;
  /** The answers to the first and to later questions of each type. The last answer is repeated. */
  readonly answers: readonly (readonly Answer[])[];
}

const ttl = 0;
const a = (name: string, data: string): Answer => ({ type: 'A', name, data, ttl });
const aaaa = (name: string, data: string): Answer => ({ type: 'AAAA', name, data, ttl });
const cname = (name: string, data: string): Answer => ({ type: 'CNAME', name, data, ttl });

function attack(what: string, name: string, answer: readonly Answer[]): Name {
  return { what, name, answers: [answer] };
}

export const goodName: Name = {
  what: 'a public address',
  name: 'good.test',
  answers: [[a('good.test', publicAddress)]],
};

/** Its first answer is good, and the later ones are not. */
export const rebinding: Name = {
  what: 'a public address at the first question and a private address afterwards',
  name: 'rebinding.test',
  answers: [[a('rebinding.test', publicAddress)], [a('rebinding.test', privateAddress)]],
};

export const attacks: readonly Name[] = [
  attack('a private address', 'private.test', [a('private.test', privateAddress)]),
  attack('a loopback address', 'loopback.test', [a('loopback.test', '127.0.0.1')]),
  attack('the address of a metadata service', 'metadata.test', [a('metadata.test', '169.254.169.254')]),
  attack('a shared address of a carrier', 'carrier.test', [a('carrier.test', '100.64.0.1')]),
  attack('IPv6 loopback', 'loopback6.test', [aaaa('loopback6.test', '::1')]),
  attack('a unique local IPv6 address', 'local6.test', [aaaa('local6.test', 'fd00::1')]),
  attack('a private address mapped to IPv6', 'mapped.test', [aaaa('mapped.test', `::ffff:${privateAddress}`)]),
  attack('loopback mapped to IPv6', 'mapped-loopback.test', [aaaa('mapped-loopback.test', '::ffff:127.0.0.1')]),
  attack('a private address in the IPv6 form of NAT64', 'nat64.test', [aaaa('nat64.test', '64:ff9b::a01:203')]),
  attack('a private address in the IPv6 form of 6to4', '6to4.test', [aaaa('6to4.test', '2002:a01:203::1')]),
  attack('a private address in the obsolete compatible IPv6 form', 'compatible.test', [
    aaaa('compatible.test', '::a01:203'),
  ]),
  attack('a public and a private address', 'mixed.test', [
    a('mixed.test', publicAddress),
    a('mixed.test', privateAddress),
  ]),
  attack('a private and a public address', 'mixed-back.test', [
    a('mixed-back.test', privateAddress),
    a('mixed-back.test', publicAddress),
  ]),
  attack('a public IPv4 address and a private IPv6 address', 'mixed-families.test', [
    a('mixed-families.test', publicAddress),
    aaaa('mixed-families.test', 'fd00::1'),
  ]),
  attack('another name, which has a private address', 'alias.test', [
    cname('alias.test', 'inside.internal'),
    a('inside.internal', privateAddress),
  ]),
  attack('three other names, the last of which has a private address', 'aliases.test', [
    cname('aliases.test', 'one.test'),
    cname('one.test', 'two.test'),
    cname('two.test', 'inside.internal'),
    a('inside.internal', privateAddress),
  ]),
  attack('another name, which has a private IPv6 address', 'alias6.test', [
    cname('alias6.test', 'inside.internal'),
    aaaa('inside.internal', 'fd00::1'),
  ]),
];

/** All addresses that the hosts of the test have, besides loopback. */
export const addresses: readonly string[] = [
  publicAddress,
  privateAddress,
  '169.254.169.254',
  '100.64.0.1',
  'fd00::1',
  '64:ff9b::a01:203',
  '2002:a01:203::1',
  '::a01:203',
];
