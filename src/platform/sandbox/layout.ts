// The file system of a command in a sandbox: tools of this machine, read-only, and the command's own folders.
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const insideCheckout = '/workspace';
export const insideHome = '/home/ci';
const nodeFolder = '/opt/interlock/bin';
export const insideNode = `${nodeFolder}/node`;

/** Folders of tools and libraries. /home, /root, /var, /srv, /mnt and /run are not visible. */
const toolFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** Files of /etc that tools need to start, to know users and to speak TLS; no password file, no keys. */
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
  /** Real folders and files to show at the same path, read-only. */
  readonly readOnly: readonly string[];
  /** Links of the root folder, such as /bin → usr/bin. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** The Node that runs us, for repositories whose machine has none: last on PATH. */
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
 * The resolver's configuration, often a link into /run, which is not visible. Shown only to commands with the network.
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

/** The program's path if it is the same in the sandbox. Null if the program is in no folder of tools. */
export function findTool(name: string): string | null {
  const found = findProgram(name);
  const path = found === null ? null : realpathSync(found);
  return path !== null && toolFolders.some((folder) => path.startsWith(`${folder}/`)) ? path : null;
}

/** Full path of a program, in the operator's PATH or where system programs lie. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => path.startsWith('/') && existsSync(path)) ?? null;
}
