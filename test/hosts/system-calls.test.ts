// The filter of system calls, as the kernel reads it. Each case runs the program of the filter for one system call.
import { describe, expect, test } from 'vitest';
import { systemCallFilter } from '../../src/platform/sandbox/system-calls.ts';

const allowed = 0x7fff0000;
const refused = 0x00050001;
const unknown = 0x00050026;
const newUser = 0x10000000;
const newNetwork = 0x40000000;
const architectures = { x64: 0xc000003e, ia32: 0x40000003, arm64: 0xc00000b7, arm: 0x40000028 };

interface SystemCall {
  readonly architecture: keyof typeof architectures;
  readonly number: number;
  readonly first?: number;
}

/** The answer of the kernel for classic BPF, as far as our filters use it. */
function verdict(program: Buffer, { architecture, number, first = 0 }: SystemCall): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architectures[architecture], 4);
  data.writeUInt32LE(first, 16);
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const value = program.readUInt32LE(at + 4);
    const holds = { 0x15: loaded === value, 0x35: loaded >= value, 0x45: (loaded & value) !== 0 }[code];
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else at += program.readUInt8(at + (holds === true ? 2 : 3)) * 8;
  }
  throw new Error('The program ran past its end.');
}

describe('the filter of system calls', () => {
  test.each<[string, NodeJS.Architecture, SystemCall, number]>([
    ['read', 'x64', { architecture: 'x64', number: 0 }, allowed],
    ['execve', 'x64', { architecture: 'x64', number: 59 }, allowed],
    ['ptrace', 'x64', { architecture: 'x64', number: 101 }, refused],
    ['add_key', 'x64', { architecture: 'x64', number: 248 }, refused],
    ['keyctl', 'x64', { architecture: 'x64', number: 250 }, refused],
    ['bpf', 'x64', { architecture: 'x64', number: 321 }, refused],
    ['io_uring_setup', 'x64', { architecture: 'x64', number: 425 }, refused],
    ['syslog', 'x64', { architecture: 'x64', number: 103 }, refused],
    ['syslog of a 32-bit program', 'x64', { architecture: 'ia32', number: 103 }, refused],
    ['fork by clone', 'x64', { architecture: 'x64', number: 56, first: 17 }, allowed],
    ['clone of a user namespace', 'x64', { architecture: 'x64', number: 56, first: newUser + 17 }, refused],
    ['unshare of the network alone', 'x64', { architecture: 'x64', number: 272, first: newNetwork }, allowed],
    ['unshare of a user namespace', 'x64', { architecture: 'x64', number: 272, first: newUser + newNetwork }, refused],
    ['clone3, whose flags cannot be read', 'x64', { architecture: 'x64', number: 435 }, unknown],
    ['keyctl of x32', 'x64', { architecture: 'x64', number: 0x40000000 + 250 }, unknown],
    ['keyctl of a 32-bit program', 'x64', { architecture: 'ia32', number: 288 }, refused],
    ['read of a 32-bit program', 'x64', { architecture: 'ia32', number: 3 }, allowed],
    ['a call of another architecture', 'x64', { architecture: 'arm64', number: 63 }, unknown],
    ['read', 'arm64', { architecture: 'arm64', number: 63 }, allowed],
    ['keyctl', 'arm64', { architecture: 'arm64', number: 219 }, refused],
    ['ptrace', 'arm64', { architecture: 'arm64', number: 117 }, refused],
    ['syslog', 'arm64', { architecture: 'arm64', number: 116 }, refused],
    ['unshare of a user namespace', 'arm64', { architecture: 'arm64', number: 97, first: newUser }, refused],
    ['a number above those of x32', 'arm64', { architecture: 'arm64', number: 0x40000000 }, allowed],
    ['keyctl of a 32-bit program', 'arm64', { architecture: 'arm', number: 311 }, refused],
  ])('decides about %s on %s', (_call, machine, call, expected) => {
    expect(verdict(systemCallFilter(machine) ?? Buffer.alloc(0), call)).toBe(expected);
  });

  test('is not made for an architecture whose numbers are unknown', () => {
    expect(systemCallFilter('riscv64')).toBeNull();
  });
});
