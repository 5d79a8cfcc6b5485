// The file system that a command sees in a sandbox: this machine's tools, read-only, and the folders of the run.
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const insideCheckout = '/workspace';
export const insideHome = '/home/ci';
const nodeFolder = '/opt/interlock/bin';
export const insideNode = `${nodeFolder}/node`;

/** Folders with tools and libraries. /home, /root, /var, /srv, /mnt and /run are not visible in the sandbox. */
const toolFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/**
 * Files of /etc that tools need to start, to look up users and to use TLS. No file with passwords or keys is among
 * them.
 */
const settings = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/passwd',
  '/etc/group',
  '/etc/nsswitch.conf',
  '/etc/hosts',
  '/etc/localtime',
  '/etc/os-release',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates',
  '/etc/protocols',
  '/etc/services',
  '/etc/mime.types',
  '/etc/java-17-openjdk',
  '/etc/java-21-openjdk',
  '/etc/python3',
];

export const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

export interface Layout {
  /** Folders and files (no links) that are visible at the same path, read-only. */
  readonly readOnly: readonly string[];
  /** Symbolic links of the root folder, such as /bin → usr/bin. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** The Node that runs Interlock. It is last on PATH, for commands on a machine without a Node of its own. */
  readonly node: { readonly from: string; readonly at: string };
}

export function readLayout(): Layout {
  const present = [...toolFolders, ...settings].filter((path) => existsSync(path));
  const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink() && !path.startsWith('/etc/');
  return {
    readOnly: present.filter((path) => !isLink(path)),
    links: present.filter(isLink).map((path) => ({ path, target: readlinkSync(path) })),
    node: { from: process.execPath, at: insideNode },
  };
}

/**
 * The file with the configuration of the DNS resolver. It is often a link into /run, which is not visible, so the link
 * is resolved. Only commands with a network see it. Null: this machine has no such file.
 */
export function readResolver(): { readonly from: string; readonly at: string } | null {
  const at = '/etc/resolv.conf';
  return existsSync(at) ? { from: realpathSync(at), at } : null;
}

export function environmentInside(extra: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin', nodeFolder].join(':'),
    HOME: insideHome,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    CI: 'true',
    ...extra,
  };
}

/**
 * The path of a program that has the same path in the sandbox. Null: the program is in no folder that the sandbox
 * shows.
 */
export function findTool(name: string): string | null {
  const found = findProgram(name);
  const path = found === null ? null : realpathSync(found);
  return path !== null && toolFolders.some((folder) => path.startsWith(`${folder}/`)) ? path : null;
}

/** The full path of a program, in the operator's PATH or in a system folder. Null: it is not found. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => path.startsWith('/') && existsSync(path)) ?? null;
}
